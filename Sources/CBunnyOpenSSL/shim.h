// What Swift needs of OpenSSL, and what of it its importer cannot see: function-like macros and stacks.
#pragma once

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

// Any number of times. OpenSSL does not clean up when the process ends: libcurl may be using it.
static inline int bunny_tls_begin(void) {
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) && OPENSSL_init_ssl(0, NULL);
}

// TLS 1.2 or later (what the system's settings ask for, where that is stricter), no compression, no
// renegotiation.
static inline int bunny_tls_restrict(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  if (SSL_CTX_get_min_proto_version(context) >= TLS1_2_VERSION) return 1;
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int bunny_tls_set_server_name(SSL *session, const char *host) {
  return (int)SSL_set_tlsext_host_name(session, host);
}

// A memory BIO that is not at its end when it is empty.
static inline BIO *bunny_tls_pipe(void) {
  BIO *pipe = BIO_new(BIO_s_mem());
  if (pipe) BIO_set_mem_eof_return(pipe, -1);
  return pipe;
}

static inline int bunny_tls_set_owner(SSL *session, void *owner) {
  return SSL_set_app_data(session, owner);
}

// The owner of the session whose peer is being verified.
static inline void *bunny_tls_owner(X509_STORE_CTX *verification) {
  SSL *session = (SSL *)X509_STORE_CTX_get_ex_data(verification,
                                                   SSL_get_ex_data_X509_STORE_CTX_idx());
  return session ? SSL_get_app_data(session) : NULL;
}

static inline int bunny_tls_certificate_count(SSL_CTX *context) {
  STACK_OF(X509) *all = X509_STORE_get1_all_certs(SSL_CTX_get_cert_store(context));
  int count = sk_X509_num(all);
  sk_X509_pop_free(all, X509_free);
  return count > 0 ? count : 0;
}

// UNIX seconds; 0 when it cannot be read.
static inline int64_t bunny_tls_seconds(const ASN1_TIME *time) {
  struct tm parts;
  return ASN1_TIME_to_tm(time, &parts) ? (int64_t)timegm(&parts) : 0;
}

static inline int64_t bunny_tls_valid_from(X509 *certificate) {
  return bunny_tls_seconds(X509_get0_notBefore(certificate));
}

static inline int64_t bunny_tls_valid_until(X509 *certificate) {
  return bunny_tls_seconds(X509_get0_notAfter(certificate));
}

// Writes `name` as in "CN=R11,O=Let's Encrypt,C=US"; the bytes written, cut to `room`.
static inline int bunny_tls_print_name(X509_NAME *name, char *text, int room) {
  BIO *out = BIO_new(BIO_s_mem());
  if (!out) return 0;
  X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  int count = BIO_read(out, text, room);
  BIO_free(out);
  return count > 0 ? count : 0;
}

// Writes the names and addresses that the certificate is for, each with a line break behind it; the
// common name where there are none. The bytes written; what does not fit is left out.
static inline int bunny_tls_print_hosts(X509 *certificate, char *text, int room) {
  int used = 0;
  GENERAL_NAMES *names =
      (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    char address[INET6_ADDRSTRLEN] = "";
    const char *host = address;
    int size = 0;
    if (name->type == GEN_DNS) {
      host = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
      size = ASN1_STRING_length(name->d.dNSName);
    } else if (name->type == GEN_IPADD) {
      int length = ASN1_STRING_length(name->d.iPAddress);
      if (length != 4 && length != 16) continue;
      inet_ntop(length == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), address,
                sizeof address);
      size = (int)strlen(address);
    }
    if (size <= 0 || size >= room - used) continue;
    memcpy(text + used, host, (size_t)size);
    used += size;
    text[used++] = '\n';
  }
  if (!names) {
    int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text,
                                         room);
    if (size > 0) used = size;
  }
  GENERAL_NAMES_free(names);
  return used;
}

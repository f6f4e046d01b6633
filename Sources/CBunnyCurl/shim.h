// What Swift needs of libcurl: its variadic calls with fixed arguments.
#pragma once

#include <curl/curl.h>
#include <fcntl.h>
#include <stdint.h>

typedef size_t (*bunny_curl_reader)(char *bytes, size_t size, size_t count, void *opaque);

static inline CURLcode bunny_curl_set_number(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

// libcurl copies the text.
static inline CURLcode bunny_curl_set_text(CURL *curl, CURLoption option, const char *text) {
  return curl_easy_setopt(curl, option, text);
}

// What a request carries; libcurl copies it. Makes the request a POST.
static inline CURLcode bunny_curl_set_body(CURL *curl, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code ? code : curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
}

// Nobody copies these: they stay until the transfer is over.
static inline CURLcode bunny_curl_set_headers(CURL *curl, struct curl_slist *headers) {
  return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

// At least CURL_ERROR_SIZE bytes; NULL takes them back.
static inline CURLcode bunny_curl_set_words(CURL *curl, char *buffer) {
  return curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, buffer);
}

// Who reads the head line by line, who reads the body, and who is asked whether to stop.
static inline CURLcode bunny_curl_set_callbacks(CURL *curl, bunny_curl_reader head,
                                                bunny_curl_reader body,
                                                curl_xferinfo_callback stop, void *opaque) {
  CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, head);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_HEADERDATA, opaque);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, opaque);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_XFERINFODATA, opaque);
  if (!code) code = curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  return code;
}

static inline int bunny_curl_mark_socket(void *opaque, curl_socket_t socket, curlsocktype purpose) {
  return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

// A child that the process starts meanwhile must not hold the connection open.
static inline CURLcode bunny_curl_keep_socket_from_children(CURL *curl) {
  return curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, bunny_curl_mark_socket);
}

static inline CURLcode bunny_curl_allow_http_only(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// 0 when there was no answer.
static inline long bunny_curl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// How much of the last request has left: 0 when no server can have seen it.
static inline long bunny_curl_sent_bytes(CURL *curl) {
  long bytes = 0;
  curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &bytes);
  return bytes;
}

// Whether the server's certificate was refused because its time has not come (OpenSSL's
// X509_V_ERR_CERT_NOT_YET_VALID).
static inline int bunny_curl_is_certificate_early(CURL *curl) {
  long result = 0;
  curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &result);
  return result == 9;
}

// Where the answer redirects to, as a whole URL; NULL when it does not.
static inline const char *bunny_curl_redirect(CURL *curl) {
  char *url = NULL;
  curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &url);
  return url;
}

extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));

// Once, before anything else here. OpenSSL, if it is there, does not clean up when the process ends:
// it would under the feet of a transfer that is still going.
static inline CURLcode bunny_curl_begin(void) {
  const uint64_t no_atexit = 0x00080000;  // OPENSSL_INIT_NO_ATEXIT
  if (OPENSSL_init_crypto) OPENSSL_init_crypto(no_atexit, NULL);
  return curl_global_init(CURL_GLOBAL_DEFAULT);
}

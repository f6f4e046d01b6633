// What Swift needs of libmicrohttpd: its variadic calls with fixed arguments.
#pragma once

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

// Serves on 127.0.0.1 only, one thread a connection. Port 0 lets the kernel choose. NULL on failure.
// `done` is called once for each request that `answer` was called for.
static inline struct MHD_Daemon *bunny_http_start(uint16_t port, MHD_AccessHandlerCallback answer,
                                                  MHD_RequestCompletedCallback done,
                                                  void *opaque) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, port,
                          NULL, NULL, answer, opaque, MHD_OPTION_SOCK_ADDR,
                          (struct sockaddr *)&address, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                          MHD_OPTION_NOTIFY_COMPLETED, done, opaque,
                          MHD_OPTION_END);
}

// The port it serves on.
static inline uint16_t bunny_http_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

// A response that holds a copy of `bytes`.
static inline struct MHD_Response *bunny_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

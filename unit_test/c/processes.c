/* What ends with its process: threads of Kokkos.
   processes forked              a child works on one thread, to the same bytes, and is told what it lacks
   processes forked_at_work      so do children that are forked while other threads compress
   processes threads N STATUS    the library is initialised with N threads, and compresses if that is possible */
#define _POSIX_C_SOURCE 200809L
#include <kompakt/kompakt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { values = 65536, capacity = 1 << 20 };
static float field[values];
static unsigned char first[capacity], second[capacity];

static kompakt_status compress(kompakt_context* context, void* stream, uint64_t* bytes) {
  uint64_t const extents[] = {values};
  kompakt_field const shape = kompakt_field_of(KOMPAKT_F32, 1, extents);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  kompakt_status status;
  options.bound = kompakt_absolute(1e-3);
  status =
      kompakt_compress(context, &shape, field, &options, stream, capacity, KOMPAKT_HOST, &info);
  *bytes = info.bytes;
  return status;
}

static int failed(char const* what) {
  fprintf(stderr, "%s; the last message: %s\n", what, kompakt_last_message());
  return 1;
}

static int in_child(kompakt_context* of_parent, uint64_t bytes_of_parent) {
  kompakt_context* context = NULL;
  kompakt_space space = KOMPAKT_SPACE_SERIAL;
  uint64_t bytes = 0;
  alarm(60);
  kompakt_context_space(of_parent, &space);
  if (space == KOMPAKT_SPACE_OPENMP && (compress(of_parent, second, &bytes) != KOMPAKT_DEVICE ||
                                        !strstr(kompakt_last_message(), "forked"))) {
    return failed("the parent's threads are not missed");
  }
  if (kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context) != KOMPAKT_OK)
    return failed("no context");
  if (compress(context, second, &bytes) != KOMPAKT_OK)
    return failed("a context of the child does not compress");
  kompakt_context_destroy(context);
  if (bytes != bytes_of_parent || memcmp(first, second, bytes) != 0) return failed("other bytes");
  return 0;
}

static int forked(void) {
  kompakt_context* context = NULL;
  uint64_t bytes = 0;
  int status = 0;
  pid_t child;
  if (kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context) != KOMPAKT_OK)
    return failed("no context");
  if (compress(context, first, &bytes) != KOMPAKT_OK) return failed("the parent does not compress");
  child = fork();
  if (child == 0) _exit(in_child(context, bytes));
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return failed("the child hung");
  kompakt_context_destroy(context);
  return WEXITSTATUS(status);
}

enum { workers = 3 };
/* Of a thread of the parent, which compresses until it is told to end. */
struct job {
  kompakt_space space;
  kompakt_status status;
  unsigned char stream[capacity];
};
static struct job jobs[workers] = {{KOMPAKT_SPACE_SERIAL, 0, {0}},
                                   {KOMPAKT_SPACE_SERIAL, 0, {0}},
                                   {KOMPAKT_SPACE_DEFAULT, 0, {0}}};
static volatile sig_atomic_t work_is_over = 0;

static void* work(void* of_job) {
  struct job* const job = (struct job*)of_job;
  kompakt_context* context = NULL;
  uint64_t bytes = 0;
  job->status = kompakt_context_create(job->space, NULL, &context);
  while (job->status == KOMPAKT_OK && !work_is_over)
    job->status = compress(context, job->stream, &bytes);
  kompakt_context_destroy(context);
  return NULL;
}

/* Whatever the threads of the parent hold at that moment, nobody gives it back in the child. */
static int forked_at_work(void) {
  enum { children = 200 };
  pthread_t others[workers];
  kompakt_context* context = NULL;
  uint64_t bytes = 0;
  int i, failures = 0;
  if (kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context) != KOMPAKT_OK)
    return failed("no context");
  if (compress(context, first, &bytes) != KOMPAKT_OK) return failed("the parent does not compress");
  for (i = 0; i < workers; ++i) pthread_create(&others[i], NULL, work, &jobs[i]);
  for (i = 0; i < children && failures == 0; ++i) {
    int status = 0;
    pid_t const child = fork();
    if (child == 0) _exit(in_child(context, bytes));
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  work_is_over = 1;
  for (i = 0; i < workers; ++i) {
    pthread_join(others[i], NULL);
    failures += jobs[i].status != KOMPAKT_OK;
  }
  kompakt_context_destroy(context);
  return failures > 0 ? failed("a child hung or failed") : 0;
}

static int threads(int count, int expected) {
  kompakt_settings settings = kompakt_settings_default();
  kompakt_context* context = NULL;
  uint64_t bytes = 0;
  kompakt_status status;
  settings.threads = count;
  status = kompakt_initialize(&settings);
  if ((int)status != expected) return failed("not the status that was expected");
  if (status != KOMPAKT_OK) return 0;
  if (kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context) != KOMPAKT_OK)
    return failed("no context");
  if (compress(context, first, &bytes) != KOMPAKT_OK) return failed("it does not compress");
  kompakt_context_destroy(context);
  return 0;
}

int main(int argc, char** argv) {
  int i;
  for (i = 0; i < values; ++i) field[i] = (float)(i % 1000) * 0.01f;
  if (argc == 2 && strcmp(argv[1], "forked") == 0) return forked();
  if (argc == 2 && strcmp(argv[1], "forked_at_work") == 0) return forked_at_work();
  if (argc == 4 && strcmp(argv[1], "threads") == 0) return threads(atoi(argv[2]), atoi(argv[3]));
  return 2;
}

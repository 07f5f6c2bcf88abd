/* A library that is loaded when it is needed: by several threads, given back, loaded and used again.
   unload LIBRARY */
#include <dlfcn.h>
#include <kompakt/kompakt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char const* path;

/* ISO C has no way from the pointer of an object to that of a function. */
static void find(void* library, char const* name, void* function) {
  void* const found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
}

static void* use(void* unused) {
  static char const good[] = "good";
  kompakt_status (*create)(kompakt_space, void*, kompakt_context**);
  void (*destroy)(kompakt_context*);
  kompakt_context* context = NULL;
  kompakt_status status;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  (void)unused;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  find(library, "kompakt_context_create", &create);
  find(library, "kompakt_context_destroy", &destroy);
  status = create(KOMPAKT_SPACE_DEFAULT, NULL, &context);
  destroy(context);
  dlclose(library);
  return status == KOMPAKT_OK ? (void*)(size_t)good : NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  int round, i, failures = 0;
  if (argc != 2) return 2;
  path = argv[1];
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, use, NULL);
    for (i = 0; i < 4; ++i) {
      void* result = NULL;
      pthread_join(threads[i], &result);
      failures += result == NULL;
    }
  }
  if (failures > 0) fprintf(stderr, "%d of 12 uses failed\n", failures);
  return failures > 0;
}

/* C interface of libranmar: the RANMAR generator (Marsaglia, Zaman, Tsang 1990; James 1990), bit-exact, many sequences,
 * jump-ahead. Also for Fortran through ISO_C_BINDING (test/fortran.f90).
 *
 * Every function that can fail returns a ranmar_status; ranmar_message() gives the reason of the calling thread's last
 * failure in one line. No function throws or ends the program. After a failure the object is as it was before the call,
 * unless the function says otherwise. Objects are not thread-safe; different objects are independent.
 */
#ifndef RANMAR_RANMAR_H
#define RANMAR_RANMAR_H

#include <stddef.h>
#include <stdint.h>

#include "ranmar/export.h"

/* The version of the headers; CMakeLists.txt reads it from here. */
#define RANMAR_VERSION_MAJOR 0
#define RANMAR_VERSION_MINOR 1
#define RANMAR_VERSION_PATCH 0

/* One number that grows with the version: 10000*major + 100*minor + patch. */
#define RANMAR_VERSION (10000 * RANMAR_VERSION_MAJOR + 100 * RANMAR_VERSION_MINOR + RANMAR_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ranmar_status {
  RANMAR_OK = 0,
  RANMAR_BAD_ARGUMENT = 1,    /* a null pointer, an unknown backend, a value out of its range */
  RANMAR_BAD_SEQUENCE = 2,    /* a sequence number outside 1..n */
  RANMAR_NOT_SEEDED = 3,      /* the sequence has neither a seed nor a state yet */
  RANMAR_WRONG_FORM = 4,      /* doubles asked of the 24-bit form, floats of a 48-bit form, or RMMAQD's state of a form
                                 that has none */
  RANMAR_OUT_OF_MEMORY = 5,   /* on the host; of the device it is RANMAR_DEVICE_FAILED */
  RANMAR_FAILED = 6,          /* an internal error; see the message */
  RANMAR_DEVICE_FAILED = 7    /* there is no such device, or a call to it failed */
} ranmar_status;

/* What numbers a generator makes. All functions take all forms, except where they say otherwise. */
typedef enum ranmar_form {
  RANMAR_48_BIT = 48,          /* CERNLIB's RMM48, CORSIKA's RMMARD: doubles, multiples of 2^-48 in [2^-48, 1) */
  RANMAR_24_BIT = 24,          /* James (1990), but a zero becomes 2^-24: floats, multiples of 2^-24 in [2^-24, 1) */
  RANMAR_EXTENDED_48_BIT = 148 /* as RANMAR_48_BIT, with 48 bits in the arithmetic sequence too (form.hpp): doubles */
} ranmar_form;

/* Version of the library that runs, "0.1.0". RANMAR_VERSION is that of the headers. */
RANMAR_API const char* ranmar_version(void);

/* The meaning of a status in one line of plain words. Never null, also for a value that is not a status. */
RANMAR_API const char* ranmar_status_string(ranmar_status status);

/* Reason of this thread's last failure, one line of at most 511 bytes; "" if there was none. Valid until the thread's
   next failing call. */
RANMAR_API const char* ranmar_message(void);

/* ---- Sequences by number, made on the calling thread ---- */

typedef struct ranmar_generator ranmar_generator;

/* Makes a generator of `sequences` sequences (1 to 1048576; some 800 bytes each, of the 24-bit form some 400), numbered
   from 1, none of them seeded. backend: "auto" (the fastest: simd), "reference" (one number at a time, by the published
   recurrence), "simd" (the best instruction set of the machine); the numbers are the same. *generator is null after a failure.
   RANMAR_BAD_ARGUMENT, RANMAR_OUT_OF_MEMORY. */
RANMAR_API ranmar_status ranmar_create(ranmar_generator** generator, ranmar_form form, int sequences,
                                       const char* backend);

/* Frees a generator; null is allowed. */
RANMAR_API void ranmar_destroy(ranmar_generator* generator);

/* Name of the backend in use, "reference" or "simd"; "" for null. */
RANMAR_API const char* ranmar_backend(const ranmar_generator* generator);

/* Starts a sequence from its seed, `skip` numbers in (any size; under a millisecond). ijkl is the one-number seed
   30082*ij + kl of James (1990), whose range is 1 to 900000000; 0 to 942438977 covers all pairs ij, kl. Every value is
   accepted, as CORSIKA accepts it.
   RANMAR_BAD_SEQUENCE. */
RANMAR_API ranmar_status ranmar_seed(ranmar_generator* generator, int sequence, int32_t ijkl, uint64_t skip);

/* Writes the next n numbers to out[0..n): doubles of the 48-bit forms, floats of the 24-bit form. `out` may be null where
   n is 0. RANMAR_BAD_SEQUENCE, RANMAR_NOT_SEEDED, RANMAR_WRONG_FORM, RANMAR_BAD_ARGUMENT. */
RANMAR_API ranmar_status ranmar_fill(ranmar_generator* generator, int sequence, double* out, size_t n);
RANMAR_API ranmar_status ranmar_fill_float(ranmar_generator* generator, int sequence, float* out, size_t n);

/* Steps over numbers without making them (under a millisecond); negative steps back, at most to the seed's first number,
   else RANMAR_BAD_ARGUMENT. RANMAR_BAD_SEQUENCE, RANMAR_NOT_SEEDED. */
RANMAR_API ranmar_status ranmar_skip(ranmar_generator* generator, int sequence, int64_t numbers);

/* Number of the next number to be made, from 0 at the seed's first one: the seed's own skip, fills and skips added up.
   After ranmar_import it goes on from the state's ntot + 10^9 ntot2. RANMAR_BAD_SEQUENCE, RANMAR_NOT_SEEDED. */
RANMAR_API ranmar_status ranmar_position(const ranmar_generator* generator, int sequence, uint64_t* position);

/* A state in the terms of CORSIKA's RMMAQD: the ring U of multiples of 2^-48 in [0, 1), C in multiples of 2^-24, the two
   indices from 1, the seed, and the numbers drawn: modulo 10^9, and billions. */
typedef struct ranmar_rmmaqd_state {
  double u[97];
  double c;
  int32_t i97;
  int32_t j97;
  int32_t ijkl;
  int32_t ntot;
  int32_t ntot2;
} ranmar_rmmaqd_state;

/* The state `behind` numbers before the next one to be made, where a consumer stands that has not yet used the last
   `behind` numbers; at most the position. RANMAR_48_BIT only, else RANMAR_WRONG_FORM. RANMAR_BAD_SEQUENCE,
   RANMAR_NOT_SEEDED; RANMAR_BAD_ARGUMENT, also where the position has more billions than an int32_t holds. */
RANMAR_API ranmar_status ranmar_export(const ranmar_generator* generator, int sequence, uint64_t behind,
                                       ranmar_rmmaqd_state* state);

/* Goes on from such a state; the sequence needs no seed before. Errors as above; RANMAR_BAD_ARGUMENT where the values are
   not a state of this generator. */
RANMAR_API ranmar_status ranmar_import(ranmar_generator* generator, int sequence, const ranmar_rmmaqd_state* state);

/* ---- Independent instances of one sequence, made on the calling thread or by a device ---- */

/* CUDA devices that this process can use; 0 where there is none or the library was built without CUDA. */
RANMAR_API int ranmar_device_count(void);

/* The same of OpenCL. */
RANMAR_API int ranmar_opencl_device_count(void);

typedef struct ranmar_instances ranmar_instances;

/* Makes `instances` (1 to 1048576) instances of one seed pair of James (1990), ij in 0..31328 and kl in 0..30081. Instance
   k, from 0, is the sequence of the pair from number k*2^60 on, so that no two overlap: what the subsequences of
   ranmar::Engine are (engine.hpp). Needs no device. *object is null after a failure. RANMAR_BAD_ARGUMENT, RANMAR_OUT_OF_MEMORY. */
RANMAR_API ranmar_status ranmar_instances_create(ranmar_instances** object, ranmar_form form, int32_t ij, int32_t kl,
                                                 int instances);

/* Waits for pending fills of a device, and frees the instances; null is allowed. */
RANMAR_API void ranmar_instances_destroy(ranmar_instances* object);

/* The next n numbers (up to 2^40) of every instance: number i of instance k to out[k*n + i], doubles of the 48-bit forms,
   floats of the 24-bit form. `out` is host memory, filled on the calling thread, or memory of a CUDA device, filled by it;
   the numbers are the same, and they are there when the call returns. After a failure the call can be made again, also
   with the other kind of memory, and gives these numbers.
   RANMAR_WRONG_FORM, RANMAR_BAD_ARGUMENT, RANMAR_OUT_OF_MEMORY, RANMAR_DEVICE_FAILED. */
RANMAR_API ranmar_status ranmar_instances_fill(ranmar_instances* object, double* out, size_t n);
RANMAR_API ranmar_status ranmar_instances_fill_float(ranmar_instances* object, float* out, size_t n);

/* The same for memory of a CUDA device alone, else RANMAR_BAD_ARGUMENT, and asynchronous: the numbers are there when
   `stream` (a cudaStream_t of the memory's device; null is the default stream) has executed the fill. Fills of one object
   in different streams wait for each other. RANMAR_OK says that the fill is under way; what fails later is the stream's
   error. */
RANMAR_API ranmar_status ranmar_instances_fill_async(ranmar_instances* object, double* out, size_t n, void* stream);
RANMAR_API ranmar_status ranmar_instances_fill_float_async(ranmar_instances* object, float* out, size_t n, void* stream);

/* The same by OpenCL, of doubles or floats by form: the numbers go to elements offset + k*n + i of `memory` (a cl_mem), when
   `queue` (an in-order cl_command_queue of the same context) has executed the fill. RANMAR_BAD_ARGUMENT, RANMAR_DEVICE_FAILED. */
RANMAR_API ranmar_status ranmar_instances_fill_opencl(ranmar_instances* object, void* queue, void* memory, size_t offset,
                                                      size_t n);

#ifdef __cplusplus
}
#endif

#endif /* RANMAR_RANMAR_H */

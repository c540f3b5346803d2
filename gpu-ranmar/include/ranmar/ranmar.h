/* C interface of libranmar: the RANMAR generator, bit-exact, many sequences, jump-ahead.
 *
 * Every function that can fail returns a ranmar_status; ranmar_message() tells the reason of the calling thread's last
 * failure in one line. Objects are not thread-safe, different objects are independent.
 */
#ifndef RANMAR_RANMAR_H
#define RANMAR_RANMAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ranmar_generator ranmar_generator;

typedef enum ranmar_status {
  RANMAR_OK = 0,
  RANMAR_BAD_ARGUMENT = 1,    /* a null pointer, an unknown backend, a value out of its range */
  RANMAR_BAD_SEQUENCE = 2,    /* sequence number outside 1..n */
  RANMAR_NOT_SEEDED = 3,      /* the sequence has no seed yet */
  RANMAR_WRONG_FORM = 4,      /* doubles asked of the 24-bit form, or floats of the 48-bit form */
  RANMAR_OUT_OF_MEMORY = 5,
  RANMAR_FAILED = 6,          /* anything else; see the message */
  RANMAR_DEVICE_FAILED = 7    /* a CUDA device is asked for and there is none, or a call to it failed */
} ranmar_status;

/* 48-bit form (CORSIKA's RMMARD): doubles; 24-bit form (James 1990): floats. The extended form, whose arithmetic sequence
   has 48 bits too (doubles; see form.hpp), is for instances alone. */
typedef enum ranmar_form { RANMAR_48_BIT = 48, RANMAR_24_BIT = 24, RANMAR_EXTENDED_48_BIT = 148 } ranmar_form;

/* A state as the classic routine RMMAQD tells it. ntot and ntot2 count numbers drawn: modulo 10^9, and billions. */
typedef struct ranmar_rmmaqd_state {
  double u[97];
  double c;
  int32_t i97;
  int32_t j97;
  int32_t ijkl;
  int32_t ntot;
  int32_t ntot2;
} ranmar_rmmaqd_state;

const char* ranmar_version(void);

/* Reason of this thread's last failure; "" if there was none. Valid until the next failing call. */
const char* ranmar_message(void);

/* A generator of `sequences` sequences, numbered from 1. backend: "auto", "reference", "simd". */
ranmar_status ranmar_create(ranmar_generator** generator, ranmar_form form, int sequences, const char* backend);
void ranmar_destroy(ranmar_generator* generator);

/* Name of the backend in use. */
const char* ranmar_backend(const ranmar_generator* generator);

/* Starts a sequence from its seed, `skip` numbers in (any size: under a millisecond). */
ranmar_status ranmar_seed(ranmar_generator* generator, int sequence, int32_t ijkl, uint64_t skip);

/* The next n numbers: doubles in [2^-48, 1), floats in [2^-24, 1). */
ranmar_status ranmar_fill(ranmar_generator* generator, int sequence, double* out, size_t n);
ranmar_status ranmar_fill_float(ranmar_generator* generator, int sequence, float* out, size_t n);

/* Steps over numbers without making them; negative steps back. */
ranmar_status ranmar_skip(ranmar_generator* generator, int sequence, int64_t numbers);

/* How many numbers have been made or stepped over since the seed, the seed's own skip included. */
ranmar_status ranmar_position(const ranmar_generator* generator, int sequence, uint64_t* position);

/* The state `behind` numbers before the next one, in RMMAQD's terms, and back. 48-bit form only. */
ranmar_status ranmar_export(const ranmar_generator* generator, int sequence, uint64_t behind,
                            ranmar_rmmaqd_state* state);
ranmar_status ranmar_import(ranmar_generator* generator, int sequence, const ranmar_rmmaqd_state* state);

/* CUDA devices that this process can use; 0 where there is none or the library was built without CUDA. */
int ranmar_device_count(void);

/* Independent instances of one generator, which fill one array together. */
typedef struct ranmar_instances ranmar_instances;

/* `instances` (1 to 2^20) instances from one seed pair of James (1990), ij in 0..31328 and kl in 0..30081. Instance k,
   from 0, is the sequence of the pair from number k*2^60 on, so that no two overlap. Needs no device. */
ranmar_status ranmar_instances_create(ranmar_instances** object, ranmar_form form, int32_t ij, int32_t kl, int instances);
void ranmar_instances_destroy(ranmar_instances* object);

/* The next n numbers of every instance: number i of instance k to out[k*n + i], doubles, or floats of the 24-bit form.
   `out` is host memory, filled on the calling core, or memory of the current CUDA device, filled by it; the numbers are
   the same, and they are there when the call returns. After a failure the call can be made again, also with the other
   kind of memory, and gives these numbers. */
ranmar_status ranmar_instances_fill(ranmar_instances* object, double* out, size_t n);
ranmar_status ranmar_instances_fill_float(ranmar_instances* object, float* out, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* RANMAR_RANMAR_H */

/* The generator's arithmetic in the words that C++, CUDA and OpenCL C share: constants, and steps that hold for numbers and
   for OpenCL's vectors of them. It includes nothing: OpenCL's compiler gets it as text, ahead of src/opencl/kernels.cl. */
#ifndef RANMAR_DETAIL_ARITHMETIC_H
#define RANMAR_DETAIL_ARITHMETIC_H

/* x_n = x_(n-97) - x_(n-33); Marsaglia, Zaman, Tsang (1990), eq. 2. */
#define RANMAR_LONG_LAG 97
#define RANMAR_SHORT_LAG 33

/* c_n = c_(n-1) - step mod modulus, from start (ibid., eq. 3); EXTENDED: of the extended form (form.hpp). */
#define RANMAR_START 362436
#define RANMAR_STEP 7654321
#define RANMAR_MODULUS 16777213
#define RANMAR_EXTENDED_START 6080668145483
#define RANMAR_EXTENDED_STEP 128418219713276
#define RANMAR_EXTENDED_MODULUS 281474976710597

/* Numbers that are made together: they depend only on numbers 33 and more back. */
#define RANMAR_ROW 32

/* Unused low bits of a word, and what brings c to its top: of the 48-bit, 24-bit and extended form. */
#define RANMAR_SHIFT_48 16
#define RANMAR_SHIFT_24 8
#define RANMAR_ARITHMETIC_SHIFT_48 40
#define RANMAR_ARITHMETIC_SHIFT_24 8
#define RANMAR_ARITHMETIC_SHIFT_EXTENDED 16

/* c moved down by `down`, both below the modulus, unsigned: a negative difference is a huge value. */
#define RANMAR_DOWN(min, c, down, modulus) min((c) - (down), (c) - (down) + (modulus))

/* x_n - c_n, at the top of a word. c must be of x's type. */
#define RANMAR_DIFFERENCE(x, c, shift) ((x) - ((c) << (shift)))

/* The bits of 1 + difference/2^64, for a difference of 48 bits at the top of a word. */
#define RANMAR_MANTISSA(difference) ((difference) >> 12 | 0x3FF0000000000000)

#endif /* RANMAR_DETAIL_ARITHMETIC_H */

/* The generator's arithmetic in the words that C++, CUDA and OpenCL C share. It includes nothing: OpenCL's compiler gets it as
   text, ahead of src/opencl/kernels.cl, with the constants of a form (form.hpp) as its options. */
#ifndef RANMAR_DETAIL_ARITHMETIC_H
#define RANMAR_DETAIL_ARITHMETIC_H

/* x_n = x_(n-97) - x_(n-33); Marsaglia, Zaman, Tsang (1990), eq. 2. */
#define RANMAR_LONG_LAG 97
#define RANMAR_SHORT_LAG 33

/* Numbers that are made together: they depend only on numbers 33 and more back. */
#define RANMAR_ROW 32

/* (c - down) mod modulus, for unsigned c and down below the modulus. Where c - down wraps around, it is the larger
 * of the two terms, and min takes the other. */
#define RANMAR_DOWN(min, c, down, modulus) min((c) - (down), (c) - (down) + (modulus))

/* x_n - c_n, at the top of a word. c must be of x's type. */
#define RANMAR_DIFFERENCE(x, c, shift) ((x) - ((c) << (shift)))

/* The bits of 1 + difference/2^64, for a difference of 48 bits at the top of a word. */
#define RANMAR_MANTISSA(difference) ((difference) >> 12 | 0x3FF0000000000000)

#endif /* RANMAR_DETAIL_ARITHMETIC_H */

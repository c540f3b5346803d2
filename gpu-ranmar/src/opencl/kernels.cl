// The kernels of ranmar::opencl, in OpenCL C 1.2, after arithmetic.h. A block of the sequence is a work-group's, of 32
// items, which make a number each of a row. Options: Word, Arithmetic, UNUSED_BITS, SHIFT, STEP and MODULUS are those of the
// form; SHUFFLE 1: words are exchanged by NVIDIA's shuffle, else through local memory; INTEGERS 1: nothing in double precision.
#define UNIT ((Word)1 << UNUSED_BITS)
#if UNUSED_BITS == 8
typedef float Real;
#define NUMBER(difference) (convert_float((difference) >> UNUSED_BITS) * 0x1p-24f)
#elif defined(cl_khr_fp64) && !INTEGERS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double Real;
#define NUMBER(difference) (as_double(RANMAR_MANTISSA(difference)) - 1.)
#else
typedef ulong Real;  // the bits of a double
#define NUMBER(difference) (((difference) << clz(difference) << 1 >> 12) + ((1022 - clz(difference)) << 52))
#endif
#define DOWN(c, down) RANMAR_DOWN(min, c, (down), (Arithmetic)MODULUS)
#define STEPS(numbers) ((Arithmetic)((ulong)(numbers)*STEP % MODULUS))
#define WINDOW (2 * RANMAR_LONG_LAG - 1)  // words that a jump needs
#define EACH_WORD(i) (uint i = get_local_id(0); i < RANMAR_LONG_LAG; i += RANMAR_ROW)

typedef struct {
  Word x[RANMAR_LONG_LAG];
  Arithmetic c;
} State;
typedef struct {
  Word polynomial[RANMAR_LONG_LAG];
  Arithmetic down;
} Stride;

// Three rows, each rotated by one item: the row's first word is the last of the row before, which serves both lags.
typedef struct {
  Word oldest, middle, last;
  Word newest;  // of use in item 0 alone
  Arithmetic c;
  local Word *exchange, *other;  // by turns, so that one barrier a row is enough
} Rows;

#if SHUFFLE
static inline uint shuffled(uint x, uint from) {
  uint result;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(from));
  return result;
}
#endif

// What the item before has; of item 0, what the last has.
static inline Word turned(Rows* rows, Word x) {
  const uint from = (get_local_id(0) + RANMAR_ROW - 1) % RANMAR_ROW;
#if SHUFFLE && UNUSED_BITS == 8
  return shuffled(x, from);
#elif SHUFFLE
  const uint2 halves = as_uint2(x);
  return as_ulong((uint2)(shuffled(halves.x, from), shuffled(halves.y, from)));
#else
  local Word* here = rows->exchange;
  rows->exchange = rows->other;
  rows->other = here;
  here[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  return here[from];
#endif
}

static inline Real next(Rows* rows) {
  const Word x = rows->oldest - rows->last;
  const Word around = turned(rows, x);
  rows->oldest = rows->middle;
  rows->middle = rows->last;
  rows->last = get_local_id(0) == 0 ? rows->newest : around;
  rows->newest = around;
  const Word difference = RANMAR_DIFFERENCE(x, (Word)rows->c, SHIFT);
  rows->c = DOWN(rows->c, STEPS(RANMAR_ROW));
  return NUMBER(max(difference, UNIT));  // zero becomes one unit
}

static inline void write(Rows* rows, global Real* to, ulong count) {
#if SHUFFLE  // barriers are not worth it, and take PoCL seconds to compile
#pragma unroll 3
#endif
  for (; count > 0; --count, to += RANMAR_ROW) to[get_local_id(0)] = next(rows);
}

// The 96 words that follow window[0..97), by all items.
static inline void extend(local Word* window) {
  for (uint i = RANMAR_LONG_LAG + get_local_id(0); i < WINDOW; i += RANMAR_ROW) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    window[i] = window[i - RANMAR_LONG_LAG] - window[i - RANMAR_SHORT_LAG];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Word k of the state that a jump leads to from an extended window.
static inline Word jumped(local const Word* window, global const Word* polynomial, uint k) {
  Word sum = 0;
  for (uint i = 0; i < RANMAR_LONG_LAG; ++i) sum += polynomial[i] * window[k + i];
  return sum;
}

// Sets the start state of every block: `start` jumped by the blocks before it, and by as many instance distances as there
// are instances before its own. jumps[1 + k] is the jump by 2^k blocks, jumps[33 + k] by 2^k instances.
kernel __attribute__((reqd_work_group_size(RANMAR_ROW, 1, 1))) void aim_blocks(
    global State* states, global const State* start, global const Stride* jumps, uint blocks_per_instance) {
  local Word window[WINDOW], result[RANMAR_LONG_LAG];
  const uint block = get_group_id(0);
  for EACH_WORD (i) window[i] = start->x[i];
  Arithmetic c = start->c;
  ulong which = block % blocks_per_instance | (ulong)(block / blocks_per_instance) << 32;
  for (global const Stride* jump = jumps + 1; which != 0; ++jump, which >>= 1) {
    if ((which & 1) == 0) continue;
    extend(window);
    for EACH_WORD (i) result[i] = jumped(window, jump->polynomial, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for EACH_WORD (i) window[i] = result[i];
    c = DOWN(c, jump->down);
  }
  for EACH_WORD (i) states[block].x[i] = window[i];
  if (get_local_id(0) == 0) states[block].c = c;
}

// Writes the numbers of all blocks, and moves each ahead by jumps[0], to where the next fill of the same layout finds it.
// The jump computes while the rest writes memory, so blocks do it at eight different times.
kernel __attribute__((reqd_work_group_size(RANMAR_ROW, 1, 1))) void fill_blocks(
    global State* states, global Real* out, ulong offset, ulong instance_numbers, ulong block_numbers,
    uint blocks_per_instance, global const Stride* jumps) {
  local Word window[WINDOW], exchange[2 * RANMAR_ROW];
  const uint item = get_local_id(0), block = get_group_id(0);
  const ulong first = block % blocks_per_instance * block_numbers;
  const ulong numbers = min(block_numbers, instance_numbers - first);
  global Real* to = out + offset + block / blocks_per_instance * instance_numbers + first;
  global State* state = states + block;
  for EACH_WORD (i) window[i] = state->x[i];
  const Arithmetic c = state->c;
  extend(window);
  Rows rows = {window[item], window[RANMAR_ROW + item], window[2 * RANMAR_ROW + item], window[RANMAR_LONG_LAG - 1],
               DOWN(c, STEPS(item + 1)), exchange, exchange + RANMAR_ROW};
  const ulong whole = numbers / RANMAR_ROW, before = whole * (block % 8 + 1) / 9;
  write(&rows, to, before);
  for EACH_WORD (i) state->x[i] = jumped(window, jumps->polynomial, i);
  if (item == 0) state->c = DOWN(c, jumps->down);
  write(&rows, to + before * RANMAR_ROW, whole - before);
  const Real last = next(&rows);
  if (item < numbers % RANMAR_ROW) to[whole * RANMAR_ROW + item] = last;
}

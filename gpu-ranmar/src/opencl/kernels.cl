// The kernels behind ranmar::opencl, in OpenCL C 1.2, after arithmetic.h. A block of the sequence is a work-group's: of 32
// items, which make a number each of a row; or, on processors, of one item, with vectors of eight numbers.
// Options: FORM 48, 24, 148; ITEMS 32, 1; of 32 items EXCHANGE 2 (NVIDIA's shuffle), 1 (a sub-group's), 0 (local memory);
// INTEGERS 1: nothing in double precision.
#if ITEMS == 1
#define V(type) type##8
#else
#define V(type) type
#endif

#if FORM == 24
typedef uint Word;
typedef float Real;
typedef V(uint) VWord;
typedef V(float) VReal;
#define TO_WORD V(convert_uint)
#define UNIT (1u << RANMAR_SHIFT_24)
#define NUMBER(difference) (V(convert_float)((difference) >> RANMAR_SHIFT_24) * 0x1p-24f)
#define ARITHMETIC_SHIFT RANMAR_ARITHMETIC_SHIFT_24
#else
typedef ulong Word;
typedef V(ulong) VWord;
#define TO_WORD V(convert_ulong)
#define UNIT (1ul << RANMAR_SHIFT_48)
#if defined(cl_khr_fp64) && !INTEGERS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double Real;
typedef V(double) VReal;
#define NUMBER(difference) (V(as_double)(RANMAR_MANTISSA(difference)) - 1.)
#else
typedef ulong Real;  // the bits of a double
typedef V(ulong) VReal;
#define NUMBER(difference) (((difference) << clz(difference) << 1 >> 12) + ((1022 - clz(difference)) << 52))
#endif
#endif
#if FORM == 148
typedef ulong Arithmetic;
typedef V(ulong) VArithmetic;
#define STEP RANMAR_EXTENDED_STEP
#define MODULUS RANMAR_EXTENDED_MODULUS
#define ARITHMETIC_SHIFT RANMAR_ARITHMETIC_SHIFT_EXTENDED
#else
typedef uint Arithmetic;
typedef V(uint) VArithmetic;
#define STEP RANMAR_STEP
#define MODULUS RANMAR_MODULUS
#if FORM == 48
#define ARITHMETIC_SHIFT RANMAR_ARITHMETIC_SHIFT_48
#endif
#endif

#define DOWN(c, down) RANMAR_DOWN(min, c, down, (Arithmetic)MODULUS)
#define STEPS(numbers) ((Arithmetic)((ulong)(numbers) * STEP % MODULUS))
#define WINDOW (2 * RANMAR_LONG_LAG - 1)  // words that a jump needs

typedef struct {
  Word x[RANMAR_LONG_LAG];
  Arithmetic c;
} State;
typedef struct {
  Word polynomial[RANMAR_LONG_LAG];
  Arithmetic down;
} Stride;

static inline VReal number(VWord x, VArithmetic c) {
  const VWord difference = max(RANMAR_DIFFERENCE(x, TO_WORD(c), ARITHMETIC_SHIFT), (Word)UNIT);
  return NUMBER(difference);
}

#if ITEMS == 1
#define BATCH 16  // rows
typedef struct {
  Word x[RANMAR_LONG_LAG + BATCH * RANMAR_ROW];  // the state's words, and room for those that follow
  VArithmetic c[RANMAR_ROW / 8];
} Rows;

static inline void begin(Rows* rows, local const Word* window, Arithmetic c, uint item, local Word* exchange) {
  for (uint i = 0; i < RANMAR_LONG_LAG; ++i) rows->x[i] = window[i];
  for (uint i = 0; i < RANMAR_ROW; i += 8) {
    Arithmetic lanes[8];
    for (uint k = 0; k < 8; ++k) lanes[k] = DOWN(c, STEPS(i + k + 1));
    rows->c[i / 8] = vload8(0, lanes);
  }
}

// Eight numbers of a row, from number 8 `eight` on.
static inline VReal make(Rows* rows, uint row, uint eight) {
  Word* x = rows->x + row * RANMAR_ROW + 8 * eight;
  const VWord words = vload8(0, x) - vload8(0, x + RANMAR_LONG_LAG - RANMAR_SHORT_LAG);
  vstore8(words, 0, x + RANMAR_LONG_LAG);
  const VReal u = number(words, rows->c[eight]);
  rows->c[eight] = DOWN(rows->c[eight], STEPS(RANMAR_ROW));
  return u;
}

static inline void write(Rows* rows, global Real* to, ulong count) {
  while (count > 0) {
    const uint now = min(count, (ulong)BATCH);
    for (uint row = 0; row < now; ++row) {
#pragma unroll
      for (uint eight = 0; eight < RANMAR_ROW / 8; ++eight)
        vstore8(make(rows, row, eight), 0, to + row * RANMAR_ROW + 8 * eight);
    }
    for (uint i = 0; i < RANMAR_LONG_LAG; ++i) rows->x[i] = rows->x[i + now * RANMAR_ROW];
    count -= now;
    to += now * RANMAR_ROW;
  }
}

static inline void write_part(Rows* rows, global Real* to, uint numbers) {
#pragma unroll
  for (uint eight = 0; eight < RANMAR_ROW / 8; ++eight) {
    Real last[8];
    vstore8(make(rows, 0, eight), 0, last);
    for (uint k = 0; k < 8; ++k)
      if (8 * eight + k < numbers) to[8 * eight + k] = last[k];
  }
}
#else
// Three rows, each turned by one item: the row's first word is the last of the row before, which serves both lags.
typedef struct {
  Word oldest, middle, last;
  Word newest;  // of use in item 0 alone
  Arithmetic c;
  uint item;
  local Word *exchange, *other;  // by turns, so that one barrier a row is enough
} Rows;

static inline void begin(Rows* rows, local const Word* window, Arithmetic c, uint item, local Word* exchange) {
  rows->oldest = window[item];
  rows->middle = window[RANMAR_ROW + item];
  rows->last = window[2 * RANMAR_ROW + item];
  rows->newest = window[RANMAR_LONG_LAG - 1];
  rows->c = DOWN(c, STEPS(item + 1));
  rows->item = item;
  rows->exchange = exchange;
  rows->other = exchange + RANMAR_ROW;
}

#if EXCHANGE == 2
static inline uint shuffled(uint x, uint from) {
  uint result;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(from));
  return result;
}
#endif

// What the item before has; of item 0, what the last has.
static inline Word turned(Rows* rows, Word x) {
  const uint from = (rows->item + RANMAR_ROW - 1) % RANMAR_ROW;
#if EXCHANGE == 2 && FORM == 24
  return shuffled(x, from);
#elif EXCHANGE == 2
  const uint2 halves = as_uint2(x);
  return as_ulong((uint2)(shuffled(halves.x, from), shuffled(halves.y, from)));
#else
#if EXCHANGE == 1
  if (get_num_sub_groups() == 1) return sub_group_shuffle(x, from);
#endif
  local Word* here = rows->exchange;
  rows->exchange = rows->other;
  rows->other = here;
  here[rows->item] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  return here[from];
#endif
}

static inline Real next(Rows* rows) {
  const Word x = rows->oldest - rows->last;
  const Word around = turned(rows, x);
  rows->oldest = rows->middle;
  rows->middle = rows->last;
  rows->last = rows->item == 0 ? rows->newest : around;
  rows->newest = around;
  const Real u = number(x, rows->c);
  rows->c = DOWN(rows->c, STEPS(RANMAR_ROW));
  return u;
}

static inline void write(Rows* rows, global Real* to, ulong count) {
#pragma unroll 3
  for (; count > 0; --count, to += RANMAR_ROW) to[rows->item] = next(rows);
}

static inline void write_part(Rows* rows, global Real* to, uint numbers) {
  const Real last = next(rows);
  if (rows->item < numbers) to[rows->item] = last;
}
#endif

// The 96 words that follow window[0..97), by all items.
static inline void extend(local Word* window, uint item) {
  for (uint from = RANMAR_LONG_LAG; from < WINDOW; from += RANMAR_ROW) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = from + item; i < from + RANMAR_ROW; i += ITEMS)
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

// Aims every block: `start` jumped by the blocks before it, and by as many instance distances as there are instances
// before its own. jumps[1 + k] is the jump by 2^k blocks, jumps[33 + k] by 2^k instances.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) kernel void aim_blocks(global State* states,
                                                                          global const State* start,
                                                                          global const Stride* jumps,
                                                                          uint blocks_per_instance) {
  local Word window[WINDOW];
  local Word result[RANMAR_LONG_LAG];
  const uint item = get_local_id(0), block = get_group_id(0);
  for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) window[i] = start->x[i];
  Arithmetic c = start->c;
  ulong which = block % blocks_per_instance | (ulong)(block / blocks_per_instance) << 32;
  for (global const Stride* jump = jumps + 1; which != 0; ++jump, which >>= 1) {
    if (which & 1) {
      extend(window, item);
      for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) result[i] = jumped(window, jump->polynomial, i);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) window[i] = result[i];
      c = DOWN(c, jump->down);
    }
  }
  for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) states[block].x[i] = window[i];
  if (item == 0) states[block].c = c;
}

// Writes the numbers of all blocks, and moves each ahead by jumps[0], to where the next fill of the same layout finds it.
// The jump is arithmetic where the rest is memory traffic, so every block makes it at another time.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) kernel void fill_blocks(
    global State* states, global Real* out, ulong offset, ulong instance_numbers, ulong block_numbers,
    uint blocks_per_instance, global const Stride* jumps) {
  local Word window[WINDOW];
  local Word exchange[2 * RANMAR_ROW];
  const uint item = get_local_id(0), block = get_group_id(0);
  const ulong first = block % blocks_per_instance * block_numbers;
  const ulong numbers = min(block_numbers, instance_numbers - first);
  global Real* to = out + offset + block / blocks_per_instance * instance_numbers + first;
  global State* state = states + block;
  for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) window[i] = state->x[i];
  const Arithmetic c = state->c;
  extend(window, item);
  Rows rows;
  begin(&rows, window, c, item, exchange);
  const ulong whole = numbers / RANMAR_ROW, before = whole * (block % 8 + 1) / 9;
  write(&rows, to, before);
  for (uint i = item; i < RANMAR_LONG_LAG; i += ITEMS) state->x[i] = jumped(window, jumps->polynomial, i);
  if (item == 0) state->c = DOWN(c, jumps->down);
  write(&rows, to + before * RANMAR_ROW, whole - before);
  if (numbers % RANMAR_ROW != 0) write_part(&rows, to + whole * RANMAR_ROW, numbers % RANMAR_ROW);
}

/* K&R and ANSI heads, conditionals through heads and bodies */
#define SQUARE(x) \
  ((x)*(x))   /* two lines */
#define LEVEL 3
struct point { double x, y; };
static int counted = 0; // a comment
extern double rndm_();
double old(a, b)
  int a;
  double b;
{ return a < LEVEL ? SQUARE(b) : '\'' ; }
#ifdef EXTENDED
void hit_(double *x, int more)
#else
void hit_(double *x)
#endif
{
  const char *text = "a \"quote\" /* no comment */";
#if LEVEL > 2
  if (*x > 0.) {
#else
  {
#endif
    counted += 0x1fUL + 1.5e-3;
  }
}
int (*table[])(void) = { 0 };

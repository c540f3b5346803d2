// Functions whose instructions have known lengths and known predecessors; never run.
#if defined(__x86_64__)
#define FUNCTION(name) ".globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"
asm(".text\n"
    FUNCTION(made_draw)       // only made_use calls it
    "  nop\n"                 // 0
    "  ret\n"                 // 1
    "  nop\n"                 // 2, after a ret
    "  ret\n" END(made_draw)  // 3
    FUNCTION(made_shared)     // made_use and made_draw_too call it
    "  ret\n" END(made_shared)
    FUNCTION(made_draw_too)
    "  call made_shared\n"           // 0
    "  jmp made_rest\n"              // 5
    END(made_draw_too)
    FUNCTION(made_use)
    "  call made_draw\n"      // 0
    "  nop\n"                 // 5, after the call
    "  nop\n"                 // 6
    "  call *%rax\n"          // 7
    "  nop\n"                 // 9, after an indirect call
    "  call made_shared\n"    // 10
    "  call getpid@PLT\n"     // 15
    "  ret\n" END(made_use)   // 20, after a call of another object's function
    FUNCTION(made_rest)       // reached by a jump from made_draw_too
    "  nop\n"                 // 0
    "  ret\n" END(made_rest)  // 1
);
#endif

int main() { return 0; }

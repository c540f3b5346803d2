/* The blocks of CORSIKA's header that the includes need, in the layout that its sources use. */
#ifdef __RANMA3INC__
      INTEGER          KSEQ
      PARAMETER        (KSEQ = 9)
      COMMON /CRRANMA3/CD,CINT,CM,TWOM24,TWOM48,MODCNS
      DOUBLE PRECISION CD,CINT,CM,TWOM24,TWOM48
      INTEGER          MODCNS
#undef __RANMA3INC__
#endif
#ifdef __CONEXINC__
      LOGICAL          FINCNX
      COMMON /TESTCX/  FINCNX
#undef __CONEXINC__
#endif

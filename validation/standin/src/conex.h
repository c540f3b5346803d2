C  Stand-in for CONEX: the one number that the generator routines read.
      INTEGER          lseq
      COMMON /STCXSQ/  lseq

      SUBROUTINE RMMAQD( ISEED,ISEQ,CHOPT )
      IMPLICIT NONE
#define __RANMA3INC__
#define __RANMA4INC__
#include "corsika.h"
      INTEGER ISEED(3),ISEQ,K,NFILL
      CHARACTER*(*) CHOPT
      DOUBLE PRECISION W
      DATA JSEQ / 1 /
      NFILL = 33
      W = 0.5D0
      IF (CHOPT .EQ. 'S') THEN
        JSEQ = ISEQ
        IJKL(JSEQ) = ISEED(1)
        DO 20 K = 1, 97
          W = W * 0.75D0
          U(K,JSEQ) = W
   20   CONTINUE
        J97(JSEQ) = NFILL
      ELSE
        ISEED(1) = IJKL(JSEQ)
      ENDIF
      RETURN
      END

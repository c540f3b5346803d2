      SUBROUTINE GRNDM( RVEC,LENV )
      IMPLICIT NONE
#define __RANMA3INC__
#define __RANMA4INC__
#include "corsika.h"
      DOUBLE PRECISION RVEC(*)
      INTEGER IVEC,LENV
      SAVE
      JSEQ = 1
      DO  IVEC = 1, LENV
      UNI = U(I97(JSEQ),JSEQ) - U(J97(JSEQ),JSEQ)
      IF (UNI .LT. 0.D0) UNI = UNI + 1.D0
      U(I97(JSEQ),JSEQ) = UNI
      I97(JSEQ) = I97(JSEQ) - 1
      IF (I97(JSEQ) .EQ. 0) I97(JSEQ) = 97
      J97(JSEQ) = J97(JSEQ) - 1
      IF (J97(JSEQ) .EQ. 0) J97(JSEQ) = 97
      C(JSEQ) = C(JSEQ) - CD
      IF (C(JSEQ) .LT. 0.D0) C(JSEQ) = C(JSEQ) + CM
      UNI = UNI - C(JSEQ)
      IF (UNI .LT. 0.D0) UNI = UNI + 1.D0
      IF (UNI .EQ. 0.D0) UNI = TWOM48
      RVEC(IVEC) = UNI
      ENDDO
      NTOT(JSEQ) = NTOT(JSEQ) + LENV
      IF (NTOT(JSEQ) .GE. MODCNS) THEN
        NTOT2(JSEQ) = NTOT2(JSEQ) + 1
        NTOT(JSEQ) = NTOT(JSEQ) - MODCNS
      ENDIF
      RETURN
      END

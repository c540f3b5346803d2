C  Our own statement of the classic loop, as CORSIKA's RMMARD has it:
C  reals in COMMON, indices that count down, two branches a number.
C  Compiled with -O2, it is the peer that the benchmark measures by.
      SUBROUTINE STKMRD( VALUES,LENGTH,NUMSEQ )

      IMPLICIT NONE
      INTEGER          MAXSEQ
      PARAMETER        (MAXSEQ = 9)
      COMMON /STKCNS/  STEPC,STARTC,RANGEC,TINY24,TINY48,BILION
      DOUBLE PRECISION STEPC,STARTC,RANGEC,TINY24,TINY48
      INTEGER          BILION
      COMMON /STKSTA/  CARRY,RING,SEED,OLDEST,MIDDLE,DRAWN,DRAWNB,LAST
      DOUBLE PRECISION CARRY(MAXSEQ),RING(97,MAXSEQ)
      INTEGER          SEED(MAXSEQ),OLDEST(MAXSEQ),MIDDLE(MAXSEQ),
     *                 DRAWN(MAXSEQ),DRAWNB(MAXSEQ),LAST
      DOUBLE PRECISION VALUES(*),X
      INTEGER          LENGTH,NUMSEQ,N
      SAVE

      IF ( NUMSEQ .GE. 1  .AND.  NUMSEQ .LE. MAXSEQ ) LAST = NUMSEQ
      DO N = 1, LENGTH
        X = RING(OLDEST(LAST),LAST) - RING(MIDDLE(LAST),LAST)
        IF ( X .LT. 0.D0 ) X = 1.D0 + X
        RING(OLDEST(LAST),LAST) = X
        OLDEST(LAST) = OLDEST(LAST) - 1
        IF ( OLDEST(LAST) .EQ. 0 ) OLDEST(LAST) = 97
        MIDDLE(LAST) = MIDDLE(LAST) - 1
        IF ( MIDDLE(LAST) .EQ. 0 ) MIDDLE(LAST) = 97
        CARRY(LAST) = CARRY(LAST) - STEPC
        IF ( CARRY(LAST) .LT. 0.D0 ) CARRY(LAST) = RANGEC + CARRY(LAST)
        X = X - CARRY(LAST)
        IF ( X .LT. 0.D0 ) X = 1.D0 + X
        IF ( X .EQ. 0.D0 ) X = TINY48
        VALUES(N) = X
      ENDDO
      DRAWN(LAST) = DRAWN(LAST) + LENGTH
      IF ( DRAWN(LAST) .GE. BILION ) THEN
        DRAWN(LAST)  = DRAWN(LAST) - BILION
        DRAWNB(LAST) = DRAWNB(LAST) + 1
      ENDIF
      RETURN
      END

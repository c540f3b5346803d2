C  AS operations.c, IN FORTRAN, WITH THE SIZES OF ITS TYPES.
      PROGRAM OPERATIONS
      INTEGER I
      DOUBLE PRECISION NEAR,MINUS,LARGE,ONE,SEVEN,FACTOR,HUGE1,MZERO,
     *                 SMALL,NOTANY,VALUES(64),SUM1
      WRITE(*,'(A,3I4)') 'other-sizes-of-REAL',STORAGE_SIZE( 1. ),
     *                    STORAGE_SIZE( SUM1 ),STORAGE_SIZE( I )
      READ(*,*) NEAR,MINUS,LARGE,ONE,SEVEN,FACTOR,HUGE1,MZERO,SMALL,
     *          NOTANY
      WRITE(*,'(A,Z17)') 'extra-x87-bits',HUGE1*SEVEN/SEVEN
      WRITE(*,'(A,Z17)') 'fused-operations',NEAR*NEAR + MINUS
      WRITE(*,'(A,Z17)') 'reordered-sums',LARGE + ONE - LARGE - SEVEN
      WRITE(*,'(A,Z17)') 'reciprocals-for-divisions',
     *                   SEVEN/FACTOR - NEAR/FACTOR
      WRITE(*,'(A,Z17)') 'no-signed-zeros',MZERO + 0.D0
      WRITE(*,'(A,Z17)') 'no-denormals',SMALL*0.5D0
      WRITE(*,'(A,L2)') 'no-NaN',NOTANY .NE. NOTANY
      DO  I = 1, 39
        WRITE(*,'(A,Z17)') 'reciprocals-for-divisions',I*ONE/3.D0
        WRITE(*,'(A,Z17)') 'approximate-roots',
     *                     REAL( SEVEN )/SQRT( REAL( I*ONE ) )
      ENDDO
      SUM1 = 0.D0
      DO  I = 1, 64
        VALUES(I) = ONE/(ONE + I)
        IF ( MOD( I,7 ) .EQ. 3 ) VALUES(I) = VALUES(I)*1.D6
      ENDDO
      DO  I = 1, 64
        SUM1 = SUM1 + VALUES(I)
      ENDDO
      WRITE(*,'(A,Z17)') 'reordered-sums',SUM1
      END

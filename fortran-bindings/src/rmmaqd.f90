! RMMAQD's options. In Fortran, because 'RV' and 'SV' go through the caller's Fortran unit 11.
!
!   ' '  sequence 1 (or iseq, where that is in range) starts from the default seed, which the caller gets in iseed
!   'S'  a sequence starts from iseed: seed, numbers to skip modulo 10^9, billions
!   'SV' state read from unit 11: one sequence's seed, counters, indices and C, and U of all sequences
!   'R'  iseed becomes seed and counters; iseq, where it is 0 or less, becomes the sequence used last
!   'RV' the state is written to unit 11
!   'V'  alone does nothing
subroutine rnmaqd(iseed, iseq, chopt, kseq)
  implicit none
  integer, intent(inout) :: iseed(3), iseq
  character(len=*), intent(in) :: chopt
  integer, intent(in) :: kseq

  integer(kind=8) :: rnmwin(2, 64)
  integer :: rnmseq, rnmksq
  common /rnmdrw/ rnmwin, rnmseq, rnmksq

  character(len=12) :: options
  external :: rnmchk, rnmini, rnmsed, rnmget

  call rnmini(kseq)
  options = chopt
  if (options == ' ') then
    iseed = (/ 54217137, 0, 0 /)
    options = 'S'
    rnmseq = 1
  end if

  if (index(options, 'S') /= 0) then
    if (iseq > 0 .and. iseq <= kseq) rnmseq = iseq
    call rnmchk(rnmseq)
    if (index(options, 'V') /= 0) then
      call all_states(reads=.true.)
    else
      call rnmsed(rnmseq, iseed)
    end if
  else if (index(options, 'R') /= 0) then
    if (iseq > 0) then
      rnmseq = iseq
    else
      iseq = rnmseq
    end if
    call rnmchk(rnmseq)
    if (index(options, 'V') /= 0) then
      call all_states(reads=.false.)
    else
      call rnmget(rnmseq, iseed)
    end if
  end if

contains

  ! Of one sequence all, of the others U alone is read or written.
  subroutine all_states(reads)
    logical, intent(in) :: reads
    integer, parameter :: unit = 11
    double precision :: u(97, kseq), c(kseq)
    integer :: indices(2, kseq), counters(3, kseq), s
    external :: rnmexp, rnmimp
    do s = 1, kseq
      call rnmexp(s, u(1, s), c(s), indices(1, s), counters(1, s))
    end do
    if (reads) then
      read (unit, '(3Z8)') counters(:, rnmseq)
      read (unit, '(2Z8,Z16)') indices(:, rnmseq), c(rnmseq)
      read (unit, '(24(4Z16,/),Z16)') u
      do s = 1, kseq
        call rnmimp(s, u(1, s), c(s), indices(1, s), counters(1, s))
      end do
    else
      write (unit, '(3Z8)') counters(:, rnmseq)
      write (unit, '(2Z8,Z16)') indices(:, rnmseq), c(rnmseq)
      write (unit, '(24(4Z16,/),Z16)') u
    end if
  end subroutine all_states

end subroutine rnmaqd

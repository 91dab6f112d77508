// Loaded with `node --require` into a process under test: SIGUSR2 moves the host's wall clock by SHIFT_MS, as far as this process
// can see. The monotonic clock goes on as it was, as it does when an operator sets the time.
const RealDate = Date;
let shift = 0;

globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }

  static now() {
    return RealDate.now() + shift;
  }
};

process.on('SIGUSR2', () => {
  shift = Number(process.env.SHIFT_MS);
});

/** Calls at most once in `ms`; of calls that come too soon, the last one is made later. */
export function throttle<Value>(call: (value: Value) => void, ms: number): (value: Value) => void {
  let waiting: { value: Value } | null = null;
  let isResting = false;

  function rest() {
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (waiting) {
        const { value } = waiting;
        waiting = null;
        call(value);
        rest();
      }
    }, ms);
  }

  return (value) => {
    if (isResting) {
      waiting = { value };
      return;
    }
    call(value);
    rest();
  };
}

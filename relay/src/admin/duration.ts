/** Writes a duration in seconds with a unit that suits its size: `240 ms`, `33.2 s`, `15 min`, `12 h`. */
export const duration = (seconds: number): string =>
  seconds < 1
    ? `${Math.round(seconds * 1_000)} ms`
    : seconds < 120
      ? `${Number(seconds.toFixed(1))} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} min`
        : `${Number((seconds / 3_600).toFixed(1))} h`;

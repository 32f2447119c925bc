declare module 'asciichart' {
  /** Draws a series of numbers as lines of text. */
  const chart: {
    plot: (
      series: readonly number[],
      options: {
        height: number
        offset: number
        min?: number
        max?: number
        symbols?: readonly string[]
        format: (value: number) => string
      },
    ) => string
  }
  export default chart
}

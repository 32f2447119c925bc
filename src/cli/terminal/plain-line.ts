/** Ctrl-C and Ctrl-D, which leave a question. */
const leaving = ['\u0003', '\u0004']

/** The keys that delete the last character. */
const erasing = ['\u007f', '\b']

/**
 * Reads a line from a terminal that obeys no control sequences, in raw mode: what is typed is echoed here, unless it is `hidden`. `undefined`
 * after Ctrl-C, Ctrl-D or the end of the input. Other control characters are ignored.
 */
export function readPlainLine(
  input: NodeJS.ReadStream,
  echo: (text: string) => void,
  { hidden }: { hidden: boolean },
): Promise<string | undefined> {
  input.setRawMode(true)
  let line: string[] = []
  return new Promise((done) => {
    const end = (answer: string | undefined) => {
      input.off('data', taken).off('end', ended)
      input.pause()
      input.setRawMode(false)
      echo('\n')
      done(answer)
    }
    const ended = () => end(undefined)
    const taken = (keys: Buffer | string) => {
      for (const key of keys.toString()) {
        if (leaving.includes(key)) return end(undefined)
        if (key === '\r' || key === '\n') return end(line.join(''))
        if (erasing.includes(key)) {
          if (line.length > 0 && !hidden) echo('\b \b')
          line = line.slice(0, -1)
        } else if (key >= ' ') {
          line.push(key)
          if (!hidden) echo(key)
        }
      }
    }
    input.on('data', taken).on('end', ended).resume()
  })
}

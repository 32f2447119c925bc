/** How long nothing may come before a question is drawn, in ms: what is pasted comes in pieces. */
const quietMs = 50

const interrupting = '\u0003'

/**
 * Throws away what was typed before a question stands there, as `sudo` does: nobody answers what nobody has seen. Tells whether
 * there was a Ctrl-C among it. The terminal is left to give every key at once, for whoever asks now.
 */
export async function discardTyped(input: NodeJS.ReadStream): Promise<boolean> {
  if (!input.isTTY) return false
  // Before anything is read: a line that is not finished yet is kept back by the terminal until then.
  input.setRawMode(true)
  const isInterrupted = await new Promise<boolean>((done) => {
    const end = (found: boolean) => {
      clearTimeout(timer)
      input.off('data', taken).off('end', ended)
      done(found)
    }
    const taken = (keys: Buffer | string) => {
      if (keys.includes(interrupting)) end(true)
      else timer.refresh()
    }
    const ended = () => end(false)
    const timer = setTimeout(ended, quietMs)
    input.on('data', taken).on('end', ended).resume()
  })
  if (!isInterrupted) return false
  input.pause()
  input.setRawMode(false)
  return true
}

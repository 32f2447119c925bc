import { AppError } from '../../domain/errors.ts'

/** How long the input must be quiet before a question is drawn, in ms; a paste arrives in pieces. */
const quietMs = 50

/** How long keys may keep arriving, in ms; nobody types or pastes for longer. */
const endlessMs = 3_000

const interrupting = '\u0003'

/**
 * Discards keys typed before a question is visible, as `sudo` does. Returns whether there was a Ctrl-C.
 * Leaves the terminal in raw mode for the prompt. Input for longer than `mostMs`, such as a held key,
 * is PROMPT_NEEDED.
 */
export async function discardTyped(input: NodeJS.ReadStream, mostMs = endlessMs): Promise<boolean> {
  if (!input.isTTY) return false
  // Before anything is read: a line that is not finished yet is kept back by the terminal until then.
  input.setRawMode(true)
  const given = await new Promise<'interrupted' | 'endless' | 'quiet'>((done) => {
    let pieces = 0
    let isLate = false
    const end = (found: 'interrupted' | 'endless' | 'quiet') => {
      clearTimeout(timer)
      clearTimeout(late)
      input.off('data', taken).off('end', ended)
      done(found)
    }
    const taken = (keys: Buffer | string) => {
      pieces++
      if (keys.includes(interrupting)) end('interrupted')
      else if (isLate) end('endless')
      else timer.refresh()
    }
    const ended = () => end('quiet')
    // On a busy machine the timer may run before pending input is read, so the input must stay quiet over two
    // reads.
    const quiet = () => {
      const before = pieces
      setImmediate(() => setImmediate(() => pieces === before && ended()))
    }
    const timer = setTimeout(quiet, quietMs)
    // Input that arrived before the limit and is only read now does not count.
    const late = setTimeout(() => setImmediate(() => setImmediate(() => (isLate = true))), mostMs)
    input.on('data', taken).on('end', ended).resume()
  })
  if (given === 'quiet') return false
  input.pause()
  input.setRawMode(false)
  if (given === 'interrupted') return true
  throw new AppError('PROMPT_NEEDED', 'The terminal sends input without end, so no question can be asked')
}

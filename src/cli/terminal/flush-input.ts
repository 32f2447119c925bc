import { AppError } from '../../domain/errors.ts'

/** How long nothing may come before a question is drawn, in ms: what is pasted comes in pieces. */
const quietMs = 50

/** For so long keys may come, in ms: nobody types or pastes for that long what he sees nothing of. */
const endlessMs = 3_000

const interrupting = '\u0003'

/**
 * Throws away what was typed before a question stands there, as `sudo` does: nobody answers what nobody has seen. Tells whether
 * there was a Ctrl-C among it. The terminal is left to give every key at once, for whoever asks now. Where keys come for
 * longer than `mostMs`, as when one is held down, it is PROMPT_NEEDED: none of them is an answer.
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
    // A timer that comes late, as on a busy machine, runs before what came meanwhile is read: only what stays quiet over two reads is.
    const quiet = () => {
      const before = pieces
      setImmediate(() => setImmediate(() => pieces === before && ended()))
    }
    const timer = setTimeout(quiet, quietMs)
    // What came before it, and is only read now, is not without end.
    const late = setTimeout(() => setImmediate(() => setImmediate(() => (isLate = true))), mostMs)
    input.on('data', taken).on('end', ended).resume()
  })
  if (given === 'quiet') return false
  input.pause()
  input.setRawMode(false)
  if (given === 'interrupted') return true
  throw new AppError('PROMPT_NEEDED', 'The terminal sends input without end, so no question can be asked')
}

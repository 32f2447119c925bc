import { displayNetwork, type Network } from '../../domain/networks.ts'
import type { JournalOperation } from '../../planning/execution-context-types.ts'
import type { Progress } from '../../transactions/run.ts'
import { hashLink } from '../terminal/explorer-links.ts'
import type { Stream } from '../terminal/io-types.ts'
import { sideBySide } from '../terminal/text-wrap.ts'

/** One event of an execution: the line that stays, and the text that moves. */
export function progressLine(
  progress: Progress,
  operation: JournalOperation,
  networks: readonly Network[],
  to: Stream,
): { line: string | null; moving: string | null } {
  const of = operation.steps.length
  const nameOf = (chainId: number) => displayNetwork(networks, chainId).name
  const hash = (chainId: number, text: string) => to.paint.dim(hashLink(to, nameOf(chainId), text))
  switch (progress.kind) {
    case 'signed':
      return { line: null, moving: `${progress.step.index + 1}/${of} ${progress.step.text}` }
    case 'sent':
      return {
        line: null,
        moving: `${progress.step.index + 1}/${of} ${progress.step.text} ${to.paint.dim(progress.hash)}`,
      }
    case 'included':
      return {
        line: null,
        moving: `${progress.step.index + 1}/${of} ${progress.step.text} ${to.paint.dim(`in block ${progress.blockNumber}`)}`,
      }
    case 'final':
      return {
        line: sideBySide(
          `${endMark(progress.step.state, to)} ${progress.step.text}`,
          `${hash(progress.step.transaction.chainId, progress.hash)} ${to.paint.dim(`block ${progress.blockNumber}`)}`,
          to,
        ),
        moving: null,
      }
    case 'raised':
    case 'cancelling':
      return {
        line: `${to.paint.yellow('!')} ${progress.kind === 'raised' ? `${progress.isRefused ? 'the node refused the fee as too low' : 'pending for too long'}: resent with a higher fee` : 'cancelling with a no-op transaction'} ${hash(progress.step.transaction.chainId, progress.hash)}`,
        moving: progress.step.text,
      }
    case 'gone':
      return {
        line: `${to.paint.yellow('!')} a reorganisation removed ${progress.hash} from its block; resending it`,
        moving: `${progress.step.text}`,
      }
    case 'waiting':
      return {
        line: null,
        moving: `waiting for the bridge to deliver the funds on ${nameOf(progress.leg.chainId)}`,
      }
    case 'arrived':
      return {
        line: `${done(to)} arrived on ${nameOf(progress.leg.chainId)} ${hash(progress.leg.chainId, progress.hash)}`,
        moving: null,
      }
  }
}

/** How a step ended, in one sign, and in a word where it did not end well. */
const endMark = (state: string, to: Stream): string =>
  state === 'FINAL_OK'
    ? done(to)
    : to.paint.red(`${to.ascii ? 'x' : '✗'} ${state === 'CANCELLED' ? 'cancelled' : 'reverted'}:`)

const done = ({ paint, ascii }: Stream): string => paint.green(ascii ? 'ok' : '✓')

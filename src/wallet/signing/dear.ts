import { refuseDear } from '../chain/dear.ts'
import type { Signable } from '../guard/plan-hash.ts'
import { gwei } from '../policy/terms.ts'
import { flag } from './argv.ts'

/** Refuses to sign gas and fees that nobody can mean; `--max-fee` that was typed counts before our own bound. */
export function refuseDearUntyped(argv: readonly string[], signable: Signable): void {
  const typed = flag(argv, '--max-fee')
  refuseDear(signable, typed !== undefined && /^[0-9]+(\.[0-9]{1,9})?$/.test(typed) ? gwei(typed) : null)
}

import { type Protocol, vaultDescription } from '../protocol.ts'
import { checkErc4626Calldata } from './calldata-check.ts'
import type { Erc4626Constants } from './constants-schema.ts'
import { erc4626 as market } from './market-adapter.ts'
import { vaultProtocol } from './vault-protocol-parts.ts'

/** Any vault by EIP-4626. */
export const erc4626: Protocol<Erc4626Constants> = {
  grade: { grade: 'A', by: '@morpho-org/morpho-blue-bundlers 1.1.2' },
  forks: { isOwn: () => false, whose: "Morpho's vault, which has the same standard" },
  description: vaultDescription,
  rateConvention: ({ lends, backing }) => {
    if (lends === 'euler')
      return 'the borrow rate per second, compounded every second over 365.2425 days, times utilization, less the fee'
    return backing && 'the linear rate of the pool, compounded every second over 365 days'
  },
  ...vaultProtocol(checkErc4626Calldata),
  market,
}

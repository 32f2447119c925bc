import { vaultProtocol } from '../erc4626/vault-protocol.ts'
import type { Protocol } from '../protocol.ts'
import { bindYearnV3 } from './binding.ts'
import type { YearnV3Constants } from './constants.ts'
import { yearnV3 as market } from './market.ts'

/** The vaults of Yearn v3. */
export const yearnV3: Protocol<YearnV3Constants> = {
  grade: { grade: 'C', by: 'yearn/yearn-vaults-v3, VaultV3.vy' },
  description: (symbol) =>
    `A vault that puts ${symbol} into the strategies that its managers choose. A share is worth more as these earn.`,
  rateConvention: () => 'the profit that is paid out a second, compounded every second over 365 days',
  ...vaultProtocol(bindYearnV3),
  market,
}

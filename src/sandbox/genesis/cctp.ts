import { pad } from 'viem/utils'
import type { CctpV2Constants } from '../../protocols/catalog.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { own } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Plan } from './plan.ts'
import type { Tokens } from './tokens.ts'

/** Deploys one end of the burn-and-mint bridge and lets it mint and burn USDC. */
export function deployBridge(d: Deployer, plan: Plan, tokens: Tokens): CctpV2Constants {
  const token = tokens.assets.USDC
  const messageTransmitter = d.deploy(own('MessageTransmitterV2'), [
    plan.domain,
    sandboxAddress(roles.attester),
  ])
  const tokenMessenger = d.deploy(own('TokenMessengerV2'), [messageTransmitter, d.from])
  d.call(own('SandboxToken').abi, token, 'setMinter', [tokenMessenger, true])
  return { chainId: plan.chainId, domain: plan.domain, token, tokenMessenger, messageTransmitter }
}

/** Tells one end of the bridge where the other one is. */
export function linkBridge(d: Deployer, here: CctpV2Constants, there: CctpV2Constants): void {
  const { abi } = own('TokenMessengerV2')
  d.call(abi, here.tokenMessenger, 'addRemoteTokenMessenger', [there.domain, pad(there.tokenMessenger)])
  d.call(abi, here.tokenMessenger, 'linkTokenPair', [here.token, there.domain, pad(there.token)])
}

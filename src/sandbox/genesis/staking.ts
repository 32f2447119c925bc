import { parseEther } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { own } from './artifacts.ts'
import type { Deployer } from './deployer.ts'

/** Where the staking that is left through a queue is. */
export type Staking = { stEth: Address; wstEth: Address; queue: Address }

/** Deploys our stand-in for Lido, with the coin that its rewards are paid from. */
export function deployStaking(d: Deployer): Staking {
  const lido = own('SandboxLido')
  const stEth = d.deploy(lido, [], parseEther('50000'))
  const wstEth = d.deploy(own('SandboxWstEth'), [stEth])
  const queue = d.deploy(own('SandboxLidoQueue'), [stEth, wstEth])
  d.call(lido.abi, stEth, 'setQueue', [queue])
  return { stEth, wstEth, queue }
}

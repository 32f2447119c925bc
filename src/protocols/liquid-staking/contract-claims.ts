import { keccak256, parseAbi, toBytes } from 'viem/utils'
import type { Read } from '../../chain/reading.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { agree, answers, type Claim, says } from '../shared/contract-claims.ts'
import type { StakedConstants } from './constants.ts'

/** What the contracts of these protocols say of each other (sources as in `calls/staked-protocols.ts`). */
const abi = parseAbi([
  'function weETH() view returns (address)',
  'function wstETH() view returns (address)',
  'function liquidityPool() view returns (address)',
  'function sfrxEthToken() view returns (address)',
  'function SFRX_ETH() view returns (address)',
  'function etherRouter() view returns (address)',
  'function staderConfig() view returns (address)',
  'function nextRequestId() view returns (uint256)',
  'function getContracts() view returns (address manager, address token, address validator)',
  'function getAddress(bytes32 key) view returns (address)',
  'function getMaximumDepositAmount() view returns (uint256)',
  'function asset() view returns (address)',
  'function sDAI() view returns (address)',
  'function wxdai() view returns (address)',
])

const ask = (address: Address, functionName: string, args: readonly unknown[] = []): Read => ({
  address,
  abi,
  functionName,
  args,
})

/** What only the right contracts of a protocol of staked coins say: each address of its constants is in one of these. */
export function stakedClaims(constants: StakedConstants): Claim[] {
  switch (constants.family) {
    case 'ether-fi': {
      const { token, pool, depositAdapter, withdrawAdapter, requests } = constants
      const adapters = [depositAdapter, withdrawAdapter]
      return [
        ...adapters.map((at) => says('the token of an adapter', ask(at, 'weETH'), token)),
        ...[token, requests, ...adapters].map((at) => says('the pool', ask(at, 'liquidityPool'), pool)),
        // Only the adapter for deposits takes other coins, too.
        answers('what else is taken', ask(depositAdapter, 'wstETH')),
      ]
    }
    case 'frax-ether': {
      const { token, minter, queue } = constants
      return [
        says('the token of the minter', ask(minter, 'sfrxEthToken'), token),
        says('the token of the queue', ask(queue, 'SFRX_ETH'), token),
        // The queue before this one pays out of its own pocket, and knows no router.
        answers('what pays the queue', ask(queue, 'etherRouter')),
      ]
    }
    case 'rocket-pool': {
      const { token, storage, depositPool } = constants
      return [
        says('the token', inStorage(storage, 'rocketTokenRETH'), token),
        isPool(inStorage(storage, 'rocketDepositPool'), depositPool),
      ]
    }
    case 'stader': {
      const { manager, withdrawals } = constants
      return [
        agree('the configuration', [ask(manager, 'staderConfig'), ask(withdrawals, 'staderConfig')]),
        answers('the next request', ask(withdrawals, 'nextRequestId')),
      ]
    }
    case 'lista': {
      const { token, manager } = constants
      const part = (said: unknown) => (said as readonly Address[])[1]
      return [says('the token of the manager', ask(manager, 'getContracts'), token, part)]
    }
    case 'gnosis-sdai': {
      const { token, adapter, wrapped } = constants
      return [
        says('the asset of the vault', ask(token, 'asset'), wrapped),
        says('the vault of the adapter', ask(adapter, 'sDAI'), token),
        says('the coin of the adapter', ask(adapter, 'wxdai'), wrapped),
      ]
    }
    // One contract does everything, and its price is asked for.
    case 'benqi-staking':
      return []
  }
}

const inStorage = (storage: Address, name: string): Read =>
  ask(storage, 'getAddress', [keccak256(toBytes(`contract.address${name}`))])

/** Where stakes go moves; where they went once still says how many it takes. */
function isPool(place: Read, pool: Address): Claim {
  return {
    reads: [place, ask(pool, 'getMaximumDepositAmount')],
    parse: ([now, most]) => {
      if (now === undefined || sameAddress(now as Address, nativeAddress))
        return [`where stakes go is not said by ${place.address}`]
      return sameAddress(now as Address, pool) || most !== undefined
        ? []
        : [`stakes go to ${String(now)}, and never went to ${pool}`]
    },
  }
}

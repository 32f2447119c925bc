import { parseAbi } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { type DescribedContract, isEverything, type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { vaultTellers } from '../shared/vault-call-tellers.ts'
import type { StakedConstants } from './constants-schema.ts'

/*
 * The functions of each protocol (sources: rocket-pool/rocketpool, etherfi-protocol/smart-contracts, FraxFinance/frxETH-public,
 * stader-labs/ethx, lista-dao/synclub-contracts, Benqi-fi/BENQI-Smart-Contracts, gnosischain's SavingsXDaiAdapter).
 */
const deposit = parseAbi(['function deposit() payable'])
const depositFor = parseAbi(['function deposit(address receiver) payable returns (uint256)'])
const referred = parseAbi(['function deposit(address receiver, string referralId) payable returns (uint256)'])
const burn = parseAbi(['function burn(uint256 units)'])
const request = parseAbi(['function requestWithdraw(uint256 units, address owner) returns (uint256)'])
const requestOwn = parseAbi(['function requestWithdraw(uint256 units)'])
const requestFor = parseAbi(['function requestWithdraw(address recipient, uint256 amount) returns (uint256)'])
const claimOne = parseAbi(['function claim(uint256 requestId)', 'function claimWithdraw(uint256 id)'])
const permitted = parseAbi([
  'function requestWithdrawWithPermit(address owner, uint256 amount, (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) permit) returns (uint256)',
])
const wrapping = parseAbi([
  'function wrap(uint256 amount) returns (uint256)',
  'function unwrap(uint256 units) returns (uint256)',
  'function depositETHForWeETH(address referral) payable returns (uint256)',
])
const frax = parseAbi([
  'function submitAndDeposit(address recipient) payable returns (uint256 shares)',
  'function submitAndGive(address recipient) payable',
  'function mintFrxEth() payable',
  'function mintFrxEthAndGive(address recipient) payable',
  'function submit() payable',
  'function enterRedemptionQueue(address recipient, uint120 amount)',
  'function enterRedemptionQueueViaSfrxEth(address recipient, uint120 units) returns (uint256 nftId)',
  'function burnRedemptionTicketNft(uint256 nftId, address recipient)',
])
const benqi = parseAbi([
  'function submit() payable returns (uint256)',
  'function requestUnlock(uint256 units)',
  'function redeem()',
])
const xdai = parseAbi([
  'function depositXDAI(address receiver) payable returns (uint256)',
  'function redeemXDAI(uint256 shares, address receiver) payable returns (uint256)',
  'function withdrawXDAI(uint256 assets, address receiver) payable returns (uint256)',
  'function redeemAllXDAI(address receiver) payable returns (uint256)',
])
const xdaiVault = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function mint(uint256 shares, address receiver) returns (uint256)',
  'function withdraw(uint256 assets, address receiver) returns (uint256)',
  'function redeem(uint256 shares, address receiver) returns (uint256)',
  'function redeemAll(address receiver) returns (uint256)',
])

/** An amount of a token that the catalogue has no address of; both have 18 decimals (EETH.sol, ERC20PermitPermissionedMint.sol). */
const unlisted = (units: bigint, symbol: 'eETH' | 'frxETH' = 'eETH'): string =>
  isEverything(units) ? `all ${symbol}` : formatAmount(units, { symbol, decimals: 18 })

/** What the calls of several protocols have in common, for one of their tokens. */
function commonTellers(entry: StrategyEntry) {
  const { name } = entry
  const units = entry.receipt.address
  const at = (address: Address, ...tellers: Teller[]): DescribedContract => ({ address, name, tellers })
  const stakes = teller(deposit, 'deposit', 'deposit', (_, say) => ({
    text: `stakes ${say.coin(say.call.value)} with ${name}`,
  }))
  const stakesFor = teller(depositFor, 'deposit', 'deposit', ([receiver], say) => ({
    text: `stakes ${say.coin(say.call.value)} with ${name}${say.forWhom(receiver)}`,
    holders: [receiver],
  }))
  const requests = teller(request, 'requestWithdraw', 'withdraw', ([amount, owner], say) => ({
    text: `requests the withdrawal of ${say.upTo(units, amount)} from ${name}${say.forWhom(owner)}; it is claimed later`,
    gives: [{ token: units, units: amount }],
    holders: [owner],
  }))
  const claims = (function_: 'claim' | 'claimWithdraw') =>
    teller(claimOne, function_, 'claim', ([id]) => ({
      text: `claims the finished withdrawal ${id} of ${name}; the amount is not in the call`,
      paysCoinTo: 'caller',
    }))
  return { entry, name, units, at, stakes, stakesFor, requests, claims }
}

/** The contracts of each protocol, and what their calls do. */
const contractsOf: {
  [family in StakedConstants['family']]: (
    constants: Extract<StakedConstants, { family: family }>,
    common: ReturnType<typeof commonTellers>,
  ) => readonly DescribedContract[]
} = {
  'rocket-pool': (constants, { name, units, at, stakes }) => [
    at(constants.depositPool, stakes),
    at(
      constants.token,
      teller(burn, 'burn', 'withdraw', ([amount], say) => ({
        text: `burns ${say.upTo(units, amount)} for the coin of ${name}`,
        gives: [{ token: units, units: amount }],
        paysCoinTo: 'caller',
      })),
    ),
  ],
  stader: (constants, { name, at, stakesFor, requests, claims }) => [
    at(
      constants.manager,
      stakesFor,
      teller(referred, 'deposit', 'deposit', ([receiver], say) => ({
        text: `stakes ${say.coin(say.call.value)} with ${name}${say.forWhom(receiver)}`,
        holders: [receiver],
      })),
    ),
    at(constants.withdrawals, requests, claims('claim')),
  ],
  'ether-fi': (constants, { name, units, at, stakes, requests, claims }) => [
    at(
      constants.pool,
      stakes,
      // Its argument is a referral, not a receiver.
      teller(depositFor, 'deposit', 'deposit', (_, say) => ({
        text: `stakes ${say.coin(say.call.value)} with ${name}`,
      })),
      teller(requestFor, 'requestWithdraw', 'withdraw', ([recipient, amount], say) => ({
        text: `requests the withdrawal of ${unlisted(amount)} from ${name}${say.forWhom(recipient)}; it is claimed later`,
        holders: [recipient],
      })),
      teller(permitted, 'requestWithdrawWithPermit', 'withdraw', ([owner, amount], say) => ({
        text: `requests the withdrawal of ${unlisted(amount)} from ${name}${say.forWhom(owner)}; it is claimed later`,
        holders: [owner],
      })),
    ),
    at(
      constants.token,
      teller(wrapping, 'wrap', 'other', ([amount], say) => ({
        text: `wraps ${unlisted(amount)} into ${say.token(units)}`,
      })),
      teller(wrapping, 'unwrap', 'other', ([amount], say) => ({
        text: `unwraps ${say.upTo(units, amount)} into eETH`,
        gives: [{ token: units, units: amount }],
      })),
    ),
    at(
      constants.depositAdapter,
      teller(wrapping, 'depositETHForWeETH', 'deposit', (_, say) => ({
        text: `stakes ${say.coin(say.call.value)} with ${name}`,
      })),
    ),
    at(constants.withdrawAdapter, requests),
    at(constants.requests, claims('claimWithdraw')),
  ],
  'frax-ether': (constants, { name, units, at }) => {
    const minted = (function_: 'submitAndGive' | 'mintFrxEthAndGive' | 'submitAndDeposit', into: string) =>
      teller(frax, function_, 'deposit', ([recipient], say) => ({
        text: `stakes ${say.coin(say.call.value)} with Frax for ${into}${say.forWhom(recipient)}`,
        holders: [recipient],
      }))
    const mintedOwn = (function_: 'mintFrxEth' | 'submit') =>
      teller(frax, function_, 'deposit', (_, say) => ({
        text: `stakes ${say.coin(say.call.value)} with Frax for frxETH`,
      }))
    return [
      at(
        constants.minter,
        minted('submitAndDeposit', 'sfrxETH'),
        minted('submitAndGive', 'frxETH'),
        minted('mintFrxEthAndGive', 'frxETH'),
        mintedOwn('mintFrxEth'),
        mintedOwn('submit'),
      ),
      at(
        constants.queue,
        teller(frax, 'enterRedemptionQueue', 'withdraw', ([recipient, amount], say) => ({
          text: `requests the withdrawal of ${unlisted(amount, 'frxETH')} from Frax${say.forWhom(recipient)}; it is claimed later`,
          holders: [recipient],
        })),
        teller(frax, 'enterRedemptionQueueViaSfrxEth', 'withdraw', ([recipient, amount], say) => ({
          text: `requests the withdrawal of ${say.amount(units, amount)} from ${name}${say.forWhom(recipient)}; it is claimed later`,
          gives: [{ token: units, units: amount }],
          holders: [recipient],
        })),
        teller(frax, 'burnRedemptionTicketNft', 'claim', ([id, recipient], say) => ({
          text: `claims the finished withdrawal ${id} of Frax${say.toWhom(recipient)}; the amount is not in the call`,
          holders: [recipient],
          paysCoinTo: recipient,
        })),
      ),
    ]
  },
  lista: (constants, { name, units, at, stakes, claims }) => [
    at(
      constants.manager,
      stakes,
      teller(requestOwn, 'requestWithdraw', 'withdraw', ([amount], say) => ({
        text: `requests the withdrawal of ${say.upTo(units, amount)} from ${name}; it is claimed later`,
        gives: [{ token: units, units: amount }],
      })),
      claims('claimWithdraw'),
    ),
  ],
  'benqi-staking': (constants, { name, units, at }) => [
    at(
      constants.token,
      teller(benqi, 'submit', 'deposit', (_, say) => ({
        text: `stakes ${say.coin(say.call.value)} with ${name}`,
      })),
      teller(benqi, 'requestUnlock', 'withdraw', ([amount], say) => ({
        text: `requests the withdrawal of ${say.upTo(units, amount)} from ${name}; it is claimed later`,
        gives: [{ token: units, units: amount }],
      })),
      teller(benqi, 'redeem', 'claim', () => ({
        text: `claims the finished withdrawals of ${name}; the amount is not in the call`,
        paysCoinTo: 'caller',
      })),
    ),
  ],
  'gnosis-sdai': (constants, { name, units, at, entry }) => {
    const { wrapped, token, adapter } = constants
    const vault = { name, asset: { ...entry.asset, address: wrapped }, receipt: entry.receipt }
    return [
      at(token, ...vaultTellers(vault)),
      at(
        adapter,
        teller(xdai, 'depositXDAI', 'deposit', ([receiver], say) => ({
          text: `deposits ${say.coin(say.call.value)} into ${name}${say.forWhom(receiver)}`,
          holders: [receiver],
        })),
        teller(xdai, 'redeemXDAI', 'withdraw', ([shares, receiver], say) => ({
          text: `redeems ${say.upTo(units, shares)} of ${name} for the coin${say.toWhom(receiver)}`,
          gives: [{ token: units, units: shares }],
          holders: [receiver],
          paysCoinTo: receiver,
        })),
        teller(xdai, 'withdrawXDAI', 'withdraw', ([assets, receiver], say) => ({
          text: `withdraws ${say.upTo(nativeAddress, assets)} from ${name}${say.toWhom(receiver)}`,
          holders: [receiver],
          paysCoinTo: receiver,
        })),
        teller(xdai, 'redeemAllXDAI', 'withdraw', ([receiver], say) => ({
          text: `redeems all ${say.token(units)} of ${name} for the coin${say.toWhom(receiver)}`,
          holders: [receiver],
          paysCoinTo: receiver,
        })),
        teller(xdaiVault, 'deposit', 'deposit', ([assets, receiver], say) => ({
          text: `deposits ${say.upTo(wrapped, assets)} into ${name}${say.forWhom(receiver)}`,
          gives: [{ token: wrapped, units: assets }],
          holders: [receiver],
        })),
        teller(xdaiVault, 'mint', 'deposit', ([shares, receiver], say) => ({
          text: `deposits as much ${say.token(wrapped)} into ${name} as ${say.amount(units, shares)} cost${say.forWhom(receiver)}`,
          holders: [receiver],
        })),
        teller(xdaiVault, 'withdraw', 'withdraw', ([assets, receiver], say) => ({
          text: `withdraws ${say.upTo(wrapped, assets)} from ${name}${say.toWhom(receiver)}`,
          holders: [receiver],
        })),
        teller(xdaiVault, 'redeem', 'withdraw', ([shares, receiver], say) => ({
          text: `redeems ${say.upTo(units, shares)} of ${name} for ${say.token(wrapped)}${say.toWhom(receiver)}`,
          gives: [{ token: units, units: shares }],
          holders: [receiver],
        })),
        teller(xdaiVault, 'redeemAll', 'withdraw', ([receiver], say) => ({
          text: `redeems all ${say.token(units)} of ${name} for ${say.token(wrapped)}${say.toWhom(receiver)}`,
          holders: [receiver],
        })),
      ),
    ]
  },
}

/** The contracts of a liquid staking token, and what their calls do. */
export function stakingContracts(
  entry: StrategyEntry,
  constants: StakedConstants,
): readonly DescribedContract[] {
  const contracts = contractsOf[constants.family] as (
    constants: StakedConstants,
    common: ReturnType<typeof commonTellers>,
  ) => readonly DescribedContract[]
  return contracts(constants, commonTellers(entry))
}

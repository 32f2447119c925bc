// Prints, as JSON, the transactions that @stakewise/v3-sdk sends for random deposits, exits and claims, and the contracts around a vault.
// No network: the signer only records transactions, and the chain reports no pending harvest (otherwise the SDK adds one, with a proof from its own service).
import { createRequire } from 'node:module'
import { Network, StakeWiseSDK } from '@stakewise/v3-sdk'
import { AbstractSigner, getAddress, Interface } from 'ethers'

const { big, address } = createRequire(import.meta.url)('./random.cjs')(20261122)

const known = new Interface([
  'function canHarvest(address) view returns (bool)',
  'function isCollateralized(address) view returns (bool)',
  'function version() view returns (uint8)',
  'function multicall(bytes[]) returns (bytes[])',
  'function convertToShares(uint256) view returns (uint256)',
])
let shares
let question
/** The result of a call to the vault or the keeper. */
const answer = (data) => {
  const { name, args } = known.parseTransaction({ data })
  const said = {
    canHarvest: () => false,
    isCollateralized: () => true,
    version: () => 5,
    multicall: () => [...args[0]].map(answer),
    convertToShares: () => {
      question = data
      return shares
    },
  }[name]()
  return known.encodeFunctionResult(name, [said])
}
// The harvest proof, which the SDK requests every time.
globalThis.fetch = async (_, { body }) => {
  if (!/HarvestParams/.test(body)) throw new Error(`offline: ${body}`)
  const harvestParams = {
    proof: [],
    rewardsRoot: `0x${'00'.repeat(32)}`,
    reward: '0',
    unlockedMevReward: '0',
  }
  return { status: 200, ok: true, json: async () => ({ data: { harvestParams } }) }
}

const sent = []
class Writer extends AbstractSigner {
  constructor(owner) {
    super({})
    this.owner = owner
  }
  connect = () => this
  getAddress = async () => this.owner
  call = async ({ data }) => answer(data)
  estimateGas = async () => 100_000n
  sendTransaction = async ({ to, data, value }) => {
    sent.push({ to, data, value: String(value ?? 0n) })
    return { hash: `0x${'00'.repeat(32)}` }
  }
}
const provider = {
  call: async ({ data }) => answer(data),
  getSigner: async (owner) => new Writer(owner),
}
const each = async (work) => {
  sent.length = 0
  await work()
  if (sent.length !== 1) throw new Error(`${sent.length} transactions`)
  return sent[0]
}

const vaults = [
  ['ETH', Network.Mainnet, '0xAC0F906E433d58FA868F936E8A43230473652885'],
  ['GNO', Network.Gnosis, '0x4b4406Ed8659D03423490D8b62a1639206dA0A7a'],
]
const all = []
const book = []
for (const [asset, network, vaultAddress] of vaults) {
  const { vault, config } = new StakeWiseSDK({ network, provider })
  const { keeper, vaultsRegistry: registry } = config.addresses.base
  book.push({ chainId: network, keeper, registry })
  for (let at = 0; at < 50; at++) {
    const userAddress = getAddress(address())
    const assets = big(80)
    shares = big(80)
    const [place, time, index] = [big(100), big(32), big(12)]
    const position = {
      positionTicket: String(place),
      timestamp: String(time),
      exitQueueIndex: index,
    }
    const ask = { userAddress, vaultAddress }
    all.push({
      asset,
      vault: vaultAddress,
      owner: userAddress,
      assets: String(assets),
      shares: String(shares),
      ...{ place: String(place), time: String(time), index: String(index) },
      deposit: await each(() => vault.deposit({ ...ask, assets })),
      exit: await each(() => vault.withdraw({ ...ask, assets })),
      question,
      claim: await each(() => vault.claimExitQueue({ ...ask, positions: [position] })),
    })
  }
}
process.stdout.write(JSON.stringify({ book, all }))

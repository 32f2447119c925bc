// Prints, as JSON, the calldata and rates that @across-protocol/sdk computes for random amounts and pools, and its contract addresses.
// No network: the signer only records transactions, and the provider answers as a HubPool would. Dependencies of the SDK for other chains
// and services are replaced with stubs: they cannot be installed without scripts and are not used here.
const Module = require('node:module')

const nothing = new Proxy(() => undefined, { get: (_, name) => (name === '__esModule' ? true : nothing) })
const load = Module._load
const beside =
  /^(@solana|@solana-program|@coral-xyz|@pinata|@uma|axios|viem|winston)(\/|$)|^@across-protocol\/contracts($|\/dist\/src\/)/
Module._load = (name, ...rest) => (beside.test(name) ? nothing : load(name, ...rest))

const { ethers } = require('ethers')
const { chains } = require('@across-protocol/contracts/dist/broadcast/deployed-addresses.json')
const { Client } = require('@across-protocol/sdk/dist/cjs/pool/poolClient')
const { HubPool__factory } = require('@across-protocol/sdk/dist/cjs/typechain')
const random = require('./random.cjs')

const { big, address, whole } = random(20260601)
const { BigNumber } = ethers
const hub = HubPool__factory.createInterface()
const one = 10n ** 18n
const now = 1_800_000_000
const head = 20_000_000

/** A provider whose blocks are one second apart and whose pool keeps the state of its last touch. */
class Chain extends ethers.providers.BaseProvider {
  constructor(pool) {
    super({ chainId: 1, name: 'homestead' })
    this.pool = pool
  }
  getBlock = async (tag) => ({ number: tag === 'latest' ? head : tag, timestamp: this.timeOf(tag) })
  getTransactionReceipt = async () => null
  timeOf = (tag) => (tag === undefined || tag === 'latest' ? now : now - (head - Number(tag)))
  // Accrued fees and exchange rate as HubPool.sol computes them (_getAccumulatedFees, _exchangeRateCurrent).
  priceAt(time) {
    const { liquid, utilized, undistributed, perSecond, touched, supply } = this.pool
    const paid = (undistributed * perSecond * BigInt(time - touched)) / one
    const left = paid < undistributed ? undistributed - paid : 0n
    return ((liquid + utilized - left) * one) / supply
  }
  call = async ({ data }, tag) => {
    const { name } = hub.parseTransaction({ data: await data })
    if (name === 'exchangeRateCurrent') {
      const at = await tag
      return hub.encodeFunctionResult(name, [BigNumber.from(this.priceAt(this.timeOf(at)))])
    }
    const { liquid, utilized, undistributed, touched } = this.pool
    if (name === 'pooledTokens')
      return hub.encodeFunctionResult(name, [this.pool.lp, true, touched, utilized, liquid, undistributed])
    return hub.encodeFunctionResult(name, [(utilized * one) / (liquid + utilized)])
  }
}

const sent = []
class Writer extends ethers.Signer {
  provider = new Chain({})
  getAddress = async () => '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  sendTransaction = async (tx) => {
    const { to, data, value } = await ethers.utils.resolveProperties(tx)
    sent.push({ to, data, value: BigNumber.from(value ?? 0).toString() })
    return { hash: ethers.constants.HashZero }
  }
}

const clientOf = (provider, blockDelta) => {
  const [hubPoolAddress, wethAddress, nobody] = [address(), address(), ethers.constants.AddressZero]
  const others = { acceleratingDistributorAddress: nobody, merkleDistributorAddress: nobody }
  const config = { hubPoolAddress, wethAddress, configStoreAddress: nobody, blockDelta, ...others }
  return new Client(config, { provider }, () => undefined)
}
const aPool = () => {
  // Large numbers, so that rounding does not affect the rate.
  const liquid = big(60) * one
  const utilized = big(60) * one
  const supply = ((liquid + utilized) * 9n) / 10n
  const undistributed = ((liquid + utilized) * BigInt(whole(1e6))) / 10n ** 8n
  const perSecond = BigInt(1e11 + whole(1e13))
  return {
    lp: address(),
    liquid,
    utilized,
    supply,
    undistributed,
    perSecond,
    touched: now - 200 - whole(2e5),
  }
}

async function calls() {
  const all = []
  for (let at = 0; at < 50; at++) {
    const client = clientOf(new Chain({ ...aPool() }), 1)
    const { wethAddress: weth, hubPoolAddress: hubPool } = client.config
    const signer = new Writer()
    const owner = await signer.getAddress()
    const [token, amount] = [address(), String(big(100))]
    const each = async (work) => {
      sent.length = 0
      await work()
      if (sent.length !== 1) throw new Error(`${sent.length} transactions`)
      return sent[0]
    }
    for (const l1Token of [token, weth]) client.setUserState(l1Token, owner, { lpTokens: String(2n ** 200n) })
    all.push({
      hubPool,
      weth,
      token,
      amount,
      addToken: await each(() => client.addTokenLiquidity(signer, token, amount)),
      addCoin: await each(() => client.addEthLiquidity(signer, amount)),
      removeToken: await each(() => client.removeTokenLiquidity(signer, token, amount)),
      removeCoin: await each(() => client.removeEthliquidity(signer, amount)),
    })
  }
  return all
}

async function pools() {
  const all = []
  for (let at = 0; at < 100; at++) {
    const pool = aPool()
    const chain = new Chain(pool)
    // Over one second, as sluice states it: the SDK compounds its APY per second, which gives slightly less over a longer span.
    const client = clientOf(chain, 1)
    const token = address()
    await client.updatePool(token)
    const { estimatedApr, estimatedApy } = client.getPoolState(token)
    // The time at which the SDK started to measure.
    const then = now - 1
    all.push({
      undistributed: String(pool.undistributed),
      perSecond: String(pool.perSecond),
      passed: String(then - pool.touched),
      value: String((chain.priceAt(then) * pool.supply) / one),
      estimatedApr,
      estimatedApy,
    })
  }
  return all
}

async function made() {
  const { HubPool, LpTokenFactory } = chains[1].contracts
  const book = [{ chainId: 1, hubPool: HubPool.address, lpTokenFactory: LpTokenFactory.address }]
  process.stdout.write(JSON.stringify({ book, calls: await calls(), pools: await pools() }))
}
made().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})

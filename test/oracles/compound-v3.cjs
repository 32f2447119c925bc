// Prints, as JSON, the calldata that @compound-finance/compound-js builds for Compound v3 deposits and withdrawals. No network: the signer only records transactions.
const Compound = require('@compound-finance/compound-js')
const { ethers } = require('ethers')
const random = require('./random.cjs')
const { address } = require('@compound-finance/compound-js/dist/nodejs/comet-artifacts/comet-constants.json')

const { big } = random(20261101)

const sent = []
class Writer extends ethers.Signer {
  constructor() {
    super()
    this.provider = new (class extends ethers.providers.BaseProvider {
      constructor() {
        super({ chainId: 1, name: 'homestead' })
      }
    })()
  }
  getAddress = async () => '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  sendTransaction = async (tx) => {
    const { to, data, value } = await ethers.utils.resolveProperties(tx)
    sent.push({ to, data, value: ethers.BigNumber.from(value ?? 0).toString() })
    return { wait: async () => ({}) }
  }
}

const made = async () => {
  const { comet } = new Compound(new Writer())
  const options = () => ({ mantissa: true, gasLimit: 1_000_000 })
  const me = await new Writer().getAddress()
  const each = async (work) => {
    sent.length = 0
    await work()
    if (sent.length !== 1) throw new Error(`${sent.length} transactions`)
    return sent[0]
  }
  const all = []
  for (const [symbol, name, market] of [
    ['USDC', 'mainnet_usdc', comet.MAINNET_USDC()],
    ['WETH', 'mainnet_weth', comet.MAINNET_WETH()],
  ])
    for (let at = 0; at < 50; at++) {
      const amount = at === 0 ? String(ethers.constants.MaxUint256) : String(big(100))
      all.push({
        market: address[name].Comet,
        owner: me,
        asset: address[name][symbol].contract,
        amount,
        withdraw: await each(() => market.withdraw(symbol, amount, options())),
        supply: await each(() => market.supply(me, me, symbol, amount, true, options())),
      })
    }
  process.stdout.write(JSON.stringify({ all }))
}
made().catch(({ message, error }) => {
  process.stderr.write(`${message} ${error}\n`)
  process.exitCode = 1
})

// Prints, as JSON, the calldata that @compound-finance/compound-js builds for random inputs. No network: the signer only records transactions.
const Compound = require('@compound-finance/compound-js')
const { ethers } = require('ethers')
const random = require('./random.cjs')

const { big } = random(20260501)

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
  const compound = new Compound(new Writer())
  // A new object each time: the SDK modifies its argument.
  const options = () => ({ mantissa: true, gasLimit: 1_000_000 })
  const each = async (work) => {
    sent.length = 0
    await work()
    if (sent.length !== 1) throw new Error(`${sent.length} transactions`)
    return sent[0]
  }
  const all = []
  for (let at = 0; at < 50; at++)
    for (const [asset, cToken] of [
      [Compound.USDC, Compound.cUSDC],
      [Compound.ETH, Compound.cETH],
    ]) {
      const amount = String(big(100))
      all.push({
        asset,
        amount,
        mint: await each(() => compound.supply(asset, amount, true, options())),
        redeemUnderlying: await each(() => compound.redeem(asset, amount, options())),
        redeem: await each(() => compound.redeem(cToken, amount, options())),
      })
    }
  process.stdout.write(JSON.stringify({ all }))
}
made().catch(({ message, error }) => {
  process.stderr.write(`${message} ${error}\n`)
  process.exitCode = 1
})

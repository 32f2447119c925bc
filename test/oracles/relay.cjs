// Prints, as JSON, the order ids that @reservoir0x/relay-protocol-sdk computes for random Relay orders between EVM chains: one input, one
// payment, one to three refunds.
const { getOrderId } = require('@reservoir0x/relay-protocol-sdk/dist/order')
const random = require('./random.cjs')

const { big, address, whole } = random(20260415)
const names = ['ethereum', 'base', 'arbitrum', 'linea', 'bnb']
const config = Object.fromEntries(names.map((name) => [name, 'ethereum-vm']))
const hex = (digits) => Array.from({ length: digits }, () => whole(16).toString(16)).join('')
const units = () => String(big(128))
const bytes = () => `0x${hex([0, 64, 128][whole(3)])}`
const time = () => 1_700_000_000 + whole(1e8)

const orders = Array.from({ length: 60 }, () => {
  const [here, there] = [names[whole(2)], names[2 + whole(3)]]
  const order = {
    version: 'v1',
    solverChainId: names[whole(names.length)],
    solver: address(),
    salt: `0x${hex(64)}`,
    inputs: [
      {
        payment: { chainId: here, currency: address(), amount: units(), weight: '1' },
        refunds: Array.from({ length: 1 + whole(3) }, () => ({
          chainId: [here, there][whole(2)],
          recipient: address(),
          currency: address(),
          minimumAmount: whole(2) ? '0' : units(),
          deadline: time(),
          extraData: bytes(),
        })),
      },
    ],
    output: {
      chainId: there,
      payments: [
        { recipient: address(), currency: address(), minimumAmount: units(), expectedAmount: units() },
      ],
      calls: [],
      deadline: time(),
      extraData: bytes(),
    },
    fees: [],
  }
  return { order, id: getOrderId(order, config) }
})
process.stdout.write(JSON.stringify({ orders }))

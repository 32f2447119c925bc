/** A picture of the terminal: its name, its alternative text, and the commands that make it. */
export type Picture = {
  /** Its file in `docs/pictures`, without `.svg`. */
  name: string
  /** Its alternative text. */
  alt: string
  /** Commands before the picture, not shown. */
  before: readonly string[]
  /** The visible commands. */
  lines: readonly string[]
  /** The open question at the end. */
  until?: string
}

const slug = 'aave-v3-usdc-sandbox-one'
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** An account withdraws or deposits a large amount every second day, which moves the rate. */
const days = [900, -300, 500, -600, -400, 700, 300, -900, 500, 900, -700, -300].flatMap((thousands) => [
  `${thousands > 0 ? 'deposit' : 'withdraw'} ${slug} --amount ${Math.abs(thousands) * 1000} --yes`,
  'sandbox warp 2d',
])

/** The pictures of the README and of the pages in `docs`. Each has its own chains, in the initial state of a sandbox. */
export const pictures: readonly Picture[] = [
  {
    name: 'demo',
    alt: 'End of the demo: the last withdrawal, the on-chain check, the balances before and after, and the elapsed time.',
    before: [],
    lines: ['demo'],
  },
  {
    name: 'strategies',
    alt: 'A list of strategies with asset, network, category, APY and TVL, and one strategy in detail with its daily APY as a sparkline.',
    before: [`sandbox fund ${account} --token USDC --amount 5000000`, ...days],
    lines: ['strategies list --asset USDC', `strategies show ${slug}`],
  },
  {
    name: 'deposit',
    alt: 'The confirmation before signing: wallet, network, contract name, decoded calls, gas, resulting balances, remaining allowance, and the prompt.',
    before: ['sandbox up'],
    lines: [`deposit ${slug} --amount 100`],
    until: '(y/N)',
  },
  {
    name: 'swap',
    alt: 'A swap quote on one network: amount in, amount out, minimum received, provider, expiry, and the command that executes it.',
    before: ['sandbox up'],
    lines: ['swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100'],
  },
  {
    name: 'explain',
    alt: 'A deposit whose first transaction is pending: what happened, where the funds are, that a retry is unsafe, the next command, and the state in the journal, on the chain and in the service.',
    before: [
      'sandbox fault stop-mining',
      `deposit ${slug} --amount 100 --yes --no-wait --idempotency-key job-4711`,
    ],
    lines: ['action explain job-4711'],
  },
]

/** A picture of the terminal: what it is called and says to whoever does not see it, and the commands that make it. */
export type Picture = {
  /** Its file in `docs/pictures`, without `.svg`. */
  name: string
  /** What is on it, for those who cannot look. */
  alt: string
  /** What was done before, out of sight. */
  before: readonly string[]
  /** What is typed, and seen. */
  lines: readonly string[]
  /** A question that stands there at the end, and is not answered. */
  until?: string
}

const slug = 'aave-v3-usdc-sandbox-one'
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Somebody takes much out or puts much in, every second day: what a rate looks like that moves. */
const days = [900, -300, 500, -600, -400, 700, 300, -900, 500, 900, -700, -300].flatMap((thousands) => [
  `${thousands > 0 ? 'deposit' : 'withdraw'} ${slug} --amount ${Math.abs(thousands) * 1000} --yes`,
  'sandbox warp 2d',
])

/** The pictures of the README, in its order. Each has chains of its own, which begin where all sandboxes begin. */
export const pictures: readonly Picture[] = [
  {
    name: 'demo',
    alt: 'The end of the demo: the last withdrawal, what the chain says of it, what the wallet had before and has now, and how long it took.',
    before: [],
    lines: ['demo'],
  },
  {
    name: 'strategies',
    alt: 'A list of strategies with asset, network, category, rate and size, and one of them in detail with what it paid day by day as a small curve.',
    before: [`sandbox fund ${account} --token USDC --amount 5000000`, ...days],
    lines: ['strategies list --asset USDC', `strategies show ${slug}`],
  },
  {
    name: 'deposit',
    alt: 'What is shown before anything is signed: wallet, network, the contract by name, each decoded call, gas, what the balances will be, the allowance that is left, and the question whether to sign.',
    before: ['sandbox up'],
    lines: [`deposit ${slug} --amount 100`],
    until: '(y/N)',
  },
  {
    name: 'swap',
    alt: 'A quote for a swap on one network: what is paid and received, at least how much, by which provider, until when, and the command that does it.',
    before: ['sandbox up'],
    lines: ['swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100'],
  },
  {
    name: 'explain',
    alt: 'A deposit whose first transaction is not mined: what happened, where the funds are, that it is not safe to ask for it anew, the next command, and what journal, chain and service say.',
    before: [
      'sandbox fault stop-mining',
      `deposit ${slug} --amount 100 --yes --no-wait --idempotency-key job-4711`,
    ],
    lines: ['action explain job-4711'],
  },
]

import { sandboxAddress } from '../../src/sandbox/accounts.ts'

const me = sandboxAddress()
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const slug = 'aave-v3-usdc-sandbox-one'
const id = 'aave-v3-USDC-sandbox-one'
const vault = 'sandbox-vault-usdc-sandbox-one'
const queued = 'sandbox-lido-eth-sandbox-one'
const across = '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC'
const same = '--from sandbox-one --to sandbox-one --token-in USDC --token-out WETH'
const key = (name: string) => `--yes --json --trust-first-use --idempotency-key job-${name}-1`

/** All commands that use a service, as scripts: name, exit code of each line, and the lines in order. */
export const scripts: readonly (readonly [name: string, exits: string, lines: readonly string[]])[] = [
  [
    'strategies list',
    '0 0 0 0 0 0 0 0 0 2 2',
    [
      'strategies list',
      'strategies list --json',
      'strategies list --json --all',
      'strategies list --csv --all',
      'strategies list --page 2 --limit 5 --json',
      'strategies list --protocol aave-v3 --network sandbox-one --json',
      'strategies list --asset usdc --min-apy 1% --sort tvl --json',
      'strategies list --category LENDING --paused exclude --sort name --fields slug,apy --csv',
      'strategies list --page 99 --json',
      'strategies list --category nothing --json',
      'strategies list --limit 0 --json',
    ],
  ],
  [
    'strategies show and analytics',
    '0 0 0 0 4 4 0 0',
    [
      `strategies show ${slug}`,
      `strategies show ${id} --json`,
      `strategies show ${slug} --wallet ${me} --json`,
      `strategies show ${vault} --json`,
      'strategies show nothing --json',
      'strategies show a/b%2e?c --json',
      'strategies analytics',
      'strategies analytics --json',
    ],
  ],
  [
    'queued withdrawals',
    '0 0 0 0 10 10 2 2 0',
    [
      `strategies show ${queued} --json`,
      `deposit ${queued} --amount 3 ${key('stake')}`,
      `withdraw ${queued} --amount 1 ${key('request')}`,
      'wallet show --json',
      `withdraw ${queued} --claim ${key('claim')}`,
      `withdraw ${queued} --claim --dry-run --json`,
      `withdraw ${slug} --claim ${key('none')}`,
      `withdraw ${queued} --amount-raw 1 ${key('dust')}`,
      `history ${queued} --json`,
    ],
  ],
  [
    'yield recommend',
    '0 0 0 0 0 4 0 2 2',
    [
      'yield recommend USDC',
      'yield recommend usdc --json',
      'yield recommend Lending --json',
      `yield recommend USDC --wallet ${me} --amount 100 --to sandbox-one --json`,
      `yield recommend USDC --wallet ${me} --amount 100 --from sandbox-one --to sandbox-two --json`,
      'yield recommend NOPE --json',
      'yield recommend staking --json',
      `yield recommend USDC --wallet ${me} --json`,
      'yield recommend USDC --to nowhere --json',
    ],
  ],
  [
    'wallet and history without activity',
    '0 0 0 2 0 0 2',
    [
      `wallet show ${other}`,
      `wallet show ${other} --json`,
      `history ${slug} --address ${other} --json`,
      'wallet show 0x1 --json',
      `wallet balances ${me} --json`,
      `wallet balances ${me} --network sandbox-two --csv`,
      `wallet balances ${me} --network nowhere --json`,
    ],
  ],
  [
    'deposit, reads, partial and full withdrawal',
    '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 14 10',
    [
      `deposit ${slug} --amount 100.5 ${key('deposit')}`,
      'action show {0.id} --json',
      'action show {0.id}',
      'action list --json',
      'action watch {0.id} --json',
      'action explain {0.id} --json',
      `wallet show ${me} --json`,
      `wallet show ${me}`,
      `history ${slug} --address ${me} --json`,
      `history ${slug} --address ${me} --csv`,
      `strategies show ${slug} --wallet ${me} --json`,
      `withdraw ${slug} --amount 40 ${key('part')}`,
      `withdraw ${slug} --amount max ${key('all')}`,
      `history ${slug} --address ${me} --json --limit 2 --page 1`,
      `wallet show ${me} --json`,
      `deposit ${slug} --amount 100.5 ${key('deposit')}`,
      `deposit ${slug} --amount 7 ${key('deposit')}`,
      `withdraw ${slug} --amount 1 ${key('nothing-left')}`,
    ],
  ],
  [
    'a vault',
    '0 0 0 0',
    [
      `deposit ${vault} --amount 50 ${key('vault')}`,
      `wallet show ${me} --json`,
      `withdraw ${vault} --amount max ${key('vault-out')}`,
      `history ${vault} --address ${me} --json`,
    ],
  ],
  [
    'dry runs',
    '0 0 0 0',
    [
      `deposit ${slug} --amount 10 --dry-run --trust-first-use --json`,
      `transfer --network sandbox-one --token USDC --to ${other} --amount 3 --dry-run --trust-first-use --json`,
      `swap execute ${same} --amount-in 25 --dry-run --trust-first-use --json`,
      `deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one --dry-run --trust-first-use --json`,
    ],
  ],
  [
    'refused commands',
    '10 4 2 2 10 4 4 4 4 4',
    [
      `deposit ${slug} --amount 999999999 ${key('too-much')}`,
      `deposit nothing --amount 1 ${key('no-strategy')}`,
      `deposit ${slug} --amount 1.0000001 ${key('decimals')}`,
      `deposit ${slug} --amount 0 ${key('zero')}`,
      `withdraw ${slug} --amount 1 ${key('none')}`,
      `transfer --network sandbox-one --token USDC --to ${me} --amount 1 ${key('to-self')}`,
      `swap execute 00000000-0000-4000-8000-000000000000 ${key('no-quote')}`,
      'action show nothing-of-that-name --json',
      'action watch 00000000-0000-4000-8000-000000000000 --json',
      'action explain 00000000-0000-4000-8000-000000000000 --json',
    ],
  ],
  [
    'transfers',
    '0 0 0',
    [
      `transfer --network sandbox-one --token USDC --to ${other} --amount 3 ${key('token')}`,
      `transfer --network 31338 --token ETH --to ${other} --amount 0.5 ${key('native')}`,
      'action show {0.id} --json',
    ],
  ],
  [
    'quotes',
    '0 0 0 0 0 0 0 0 4 4 2 4 4 4',
    [
      `swap quote ${same} --amount-in 100 --json`,
      'swap status {0.id} --json',
      'swap status {0.id}',
      'swap list --json',
      'swap list --provider uniswap-v3 --csv --fields id,provider,status',
      'swap list --from sandbox-two --json',
      `swap quote ${same} --amount-out 0.01 --slippage 50bps --json`,
      `swap quote ${across} --amount-in 10 --speed standard --destination ${other} --json`,
      `swap quote ${same} --amount-in 100 --provider nobody --json`,
      `swap quote ${same} --amount-in 100 --provider cctp --json`,
      `swap quote ${same} --amount-in 100 --slippage 60% --json`,
      `swap quote --from sandbox-one --to sandbox-two --token-in WETH --token-out ETH --amount-in 1 --json`,
      'swap status nothing --json',
      `swap quote --from sandbox-one --to sandbox-one --token-in USDC --token-out BRLA --amount-in 1 --json`,
    ],
  ],
  [
    'a swap on one chain',
    '0 0 0 0 0 0',
    [
      `swap quote ${same} --amount-in 50 --json`,
      `swap execute {0.id} ${key('swap')}`,
      'swap status {0.id} --json',
      'action show {0.id} --json',
      'swap list --json',
      `swap execute ${same} --amount-out 0.005 --destination ${other} ${key('exact-out')}`,
    ],
  ],
  [
    'a swap across chains',
    '0 0 0 0 0',
    [
      `swap quote ${across} --amount-in 20 --speed fast --json`,
      `swap execute {0.id} ${key('bridge')}`,
      'swap status {0.id} --json',
      'action show {0.id} --json',
      'action explain {0.id} --json',
    ],
  ],
  [
    'a deposit across chains',
    '0 0 0',
    [
      `deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one ${key('cross')}`,
      'action show {0.id} --json',
      `wallet show ${me} --json`,
    ],
  ],
  [
    'a deposit with no-wait, resumed later',
    '20 0 0 0 0 0 0 0 0',
    [
      `deposit ${slug} --amount 9 --no-wait ${key('left')}`,
      'action list --json',
      'action resume {0.error.details.id} --yes --json',
      'action abandon {0.error.details.id} --yes --json',
      'action speed-up {0.error.details.id} --yes --json',
      'action cancel {0.error.details.id} --yes --json',
      'action revoke {0.error.details.id} --yes --json',
      'action replan {0.error.details.id} --yes --json',
      `deposit ${slug} --amount 9 ${key('left')}`,
    ],
  ],
  [
    'approvals',
    '0 0 0',
    [
      `wallet approvals list ${me} --json`,
      `wallet approvals list ${me}`,
      `wallet approvals revoke --network sandbox-one --token USDC --spender ${other} ${key('approvals')}`,
    ],
  ],
  [
    'fees',
    '0 0 0 0 2',
    [
      'fees show',
      'fees show --json',
      'fees set --markup-bps 12 --json',
      'fees show --json',
      'fees set --json',
    ],
  ],
]

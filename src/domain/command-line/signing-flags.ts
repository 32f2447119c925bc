import type { FlagGroup } from './flag-rows.ts'

/** Commands that make a plan and sign it. */
const planning = [
  'deposit',
  'withdraw',
  'swap execute',
  'transfer',
  'action submit',
  'action revoke',
  'action deliver',
  'wallet approvals revoke',
] as const
/** Commands that sign again for an operation that was begun. */
const resuming = ['action resume', 'action speed-up', 'action cancel', 'action replan'] as const
/** Every command that signs. */
export const signing = [...planning, ...resuming] as const

/** Commands whose calls can pay a fee and move a price. */
const exchanging = ['deposit', 'withdraw', 'swap execute', 'action submit'] as const
type Planning = (typeof planning)[number]
const except = <some extends Planning>(...some: some[]): Exclude<Planning, some>[] =>
  planning.filter((one): one is Exclude<Planning, some> => !some.some((other) => other === one))

/** The flags of the commands that sign. */
export const signingFlags = [
  {
    of: ['deposit'],
    flags: [
      [
        '--amount <amount|max>',
        'amount, in units of the asset: 100.5 or 100.5USDC; max or 50% of the balance',
      ],
      ['--from <network>', 'network of the funds, if not that of the strategy; the funds are bridged first'],
      ['--slippage <size>', 'maximum slippage, for strategies bought at a market price: 0.5%'],
    ],
  },
  {
    of: ['withdraw'],
    flags: [
      ['--amount <amount|max>', 'amount, in units of the asset; max or 50% of the position'],
      ['--claim', 'claim earlier queued withdrawals that are ready'],
      ['--slippage <size>', 'maximum slippage, for strategies sold at a market price: 0.5%'],
      ['--restart-cooldown', 'accept that queued withdrawals restart their cooldown'],
    ],
  },
  {
    of: ['transfer'],
    flags: [
      ['--network <network>', 'name or chain id', { isRequired: true }],
      ['--token <token>', 'symbol or address; ETH is the native coin', { isRequired: true }],
      [
        '--to <address>',
        'recipient: an address, or the name of a wallet of this machine',
        { isRequired: true },
      ],
      ['--amount <amount|max>', 'amount, in units of the token; max or 50% of the balance'],
    ],
  },
  {
    of: ['deposit', 'withdraw', 'transfer'],
    flags: [['--amount-raw <amount>', 'amount, in the smallest unit']],
  },
  {
    of: ['swap quote', 'swap execute'],
    flags: [
      ['--from <network>', 'origin network, or bitcoin'],
      ['--to <network>', 'destination network (default: the origin)'],
      ['--token-in <token>', 'symbol or address'],
      ['--token-out <token>', 'symbol or address'],
      ['--amount-in <amount|max>', 'amount to spend, exactly; max or 50% of the balance'],
      ['--amount-out <amount>', 'amount to receive, exactly'],
      [
        '--destination <address>',
        'recipient: an address, or the name of a wallet of this machine (default: the sender)',
      ],
      ['--refund <address>', 'recipient of a refund; a Bitcoin address for swaps from bitcoin'],
      ['--provider <name>', 'only this provider'],
      ['--slippage <slippage>', 'maximum slippage, with its unit: 0.5% or 50bps'],
      ['--fee-sponsorship', 'ask the bridge to sponsor the fees, if it can'],
      [
        '--speed <speed>',
        'bridge speed (default: the one with the higher output)',
        { choices: ['fast', 'standard'] },
      ],
    ],
  },
  {
    of: ['swap execute'],
    flags: [
      [
        '--compare [names]',
        'choose among the quotes of all providers, or of those named (separated by commas)',
      ],
    ],
  },
  {
    of: ['action replan'],
    flags: [
      ['--accept-min-out <amount>', 'minimum output of the swap, in units of the output token'],
      ['--max-price-impact <share>', 'maximum price impact, against the spot price'],
      ['--dry-run', 'show the new plan and sign nothing'],
    ],
  },
  {
    of: ['wallet approvals revoke'],
    flags: [
      ['--network <network>', 'only on this network'],
      ['--token <token>', 'only for this token'],
      ['--spender <address>', 'only for this contract'],
      ['--all', 'revoke every allowance that `list` shows'],
    ],
  },
  {
    of: signing,
    flags: [
      [
        '--wallet <name>',
        'keystore that signs: its name, or the path of a cast or geth keystore',
        { heading: 'Signer' },
      ],
      ['--key-file <path>', 'file with a private key, mode 0600', { heading: 'Signer' }],
      [
        '--password-file <path>',
        'file with the password, mode 0600; - reads standard input',
        { heading: 'Signer' },
      ],
      [
        '--ledger [derivation]',
        "Ledger on USB, with its derivation path (default: m/44'/60'/0'/0/0)",
        { heading: 'Signer' },
      ],
      ['--signer-url <url>', 'remote signer over JSON-RPC: web3signer, Frame', { heading: 'Signer' }],
      [
        '--no-wait',
        'send and exit 20 with the action ID, without waiting for confirmation',
        { heading: 'Execution' },
      ],
      [
        '--confirmations <depth>',
        'finality: a number of blocks, safe or finalized',
        { heading: 'Execution' },
      ],
      [
        '--queue-behind',
        'queue behind pending transactions that other programs sent from this wallet',
        { heading: 'Execution' },
      ],
    ],
  },
  {
    of: except('transfer', 'action deliver'),
    flags: [
      [
        '--pipeline',
        'send all transactions on a network at once, without waiting for the first',
        { heading: 'Execution' },
      ],
    ],
  },
  {
    // A plan already has its nonce.
    of: except('action submit'),
    flags: [
      [
        '--nonce <nonce>',
        'pin the nonce of the first transaction, N or NETWORK=N: at most one payment, even without a journal',
        { heading: 'Execution', repeats: true },
      ],
    ],
  },
  {
    of: planning,
    flags: [
      ['--dry-run', 'check, simulate and print the plan; sign nothing', { heading: 'Execution' }],
      [
        '--idempotency-key <key>',
        'never pay twice for the same key: 8-128 characters, letters, digits, . _ : - (needs the journal of this machine)',
        { heading: 'Execution' },
      ],
      [
        '--allow-duplicate',
        'allow a possible duplicate payment: without a terminal, sign without an idempotency key or a pinned nonce',
        { heading: 'Execution' },
      ],
      [
        '--allow-contract <address>',
        'trust this contract for this action',
        { heading: 'Safety', repeats: true },
      ],
    ],
  },
  {
    // A delivery mints only tokens of the catalogue.
    of: except('action deliver'),
    flags: [
      ['--allow-token <address>', 'trust this token for this action', { heading: 'Safety', repeats: true }],
    ],
  },
  {
    of: planning,
    flags: [
      [
        '--policy <file>',
        'policy to apply (default: policy.json in the config directory)',
        { heading: 'Safety' },
      ],
      [
        '--assert <conditions>',
        "required balance changes: 'USDC>=-100,aUSDC>=99.9'",
        { heading: 'Safety', repeats: true },
      ],
      ['--max-fee <gwei>', 'maximum gas price, in gwei', { heading: 'Safety' }],
    ],
  },
  {
    of: exchanging,
    flags: [
      [
        '--max-service-fee <share>',
        'maximum service fee, as a share of the amount swapped or withdrawn (default: 1%)',
        { heading: 'Safety' },
      ],
      [
        '--max-price-impact <share>',
        'maximum price impact, against the spot price (default: 3%)',
        { heading: 'Safety' },
      ],
    ],
  },
  {
    of: planning,
    flags: [
      ['--trust-first-use', 'trust the code of contracts used for the first time', { heading: 'Safety' }],
      [
        '--min-assurance [level]',
        'lowest assurance level to accept: L2 without this flag, L1 without a level',
        { heading: 'Safety' },
      ],
    ],
  },
  {
    of: ['swap execute'],
    flags: [
      ['--accept-min-out <amount>', 'minimum output, in units of the output token', { heading: 'Safety' }],
    ],
  },
  {
    of: resuming,
    flags: [
      [
        '--allow-duplicate',
        'resume although the wallet sent transactions that this journal does not know; the action may already be done',
        { heading: 'Execution' },
      ],
      ['--max-fee <gwei>', 'maximum gas price, in gwei; may exceed the plan', { heading: 'Execution' }],
    ],
  },
] as const satisfies readonly FlagGroup[]

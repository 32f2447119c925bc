import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/*
 * Takes the contracts that the sandbox deploys and that no dependency brings out of the published packages, which are too large to depend on, and writes
 * them down with where they are from. It needs the package registry; the sandbox needs nothing but what is written.
 * `npm run contracts:published`
 */

/** Where the written artifacts lie. */
export const publishedDir = join(import.meta.dirname, '../../src/sandbox/published')

/** A contract in a package: where it lies, its licence, and the functions that are called. */
type Piece = { name: string; path: string; licence: string; uses: readonly string[] }

/** The packages, by what the registry says of them, and their pieces. */
export const publishedPackages: readonly {
  name: string
  version: string
  integrity: string
  pieces: readonly Piece[]
  /** The text of a licence that must stand beside a copy. */
  terms?: string
}[] = [
  {
    name: '@uniswap/v4-core',
    version: '1.0.2',
    integrity:
      'sha512-X15Tm2wWd+USAzEExMbo+g9naA6QN6mPgWm0MzDwRNlOfaNlepfUpSyt9RSrUfEODspwbyWbcLg6t5nwc/e7lg==',
    pieces: [
      {
        name: 'PoolManager',
        path: 'out/PoolManager.sol/PoolManager.json',
        licence: 'BUSL-1.1',
        uses: ['initialize'],
      },
    ],
    terms: 'licenses/BUSL_LICENSE',
  },
  {
    name: '@uniswap/v4-periphery',
    version: '1.0.3',
    integrity:
      'sha512-JxLL0Djv9XcMvI2PatEnWrCrxuEaYNVhHxstndBOP+aJfh1XLg5ec8SDZ0xyoVfg2ElJTvuKpBgnu90bNValsg==',
    pieces: [
      {
        name: 'V4Quoter',
        path: 'foundry-out/V4Quoter.sol/V4Quoter.json',
        licence: 'MIT',
        uses: ['quoteExactInput', 'quoteExactOutput'],
      },
      {
        name: 'StateView',
        path: 'foundry-out/StateView.sol/StateView.json',
        licence: 'MIT',
        uses: ['getSlot0'],
      },
      {
        name: 'PositionManager',
        path: 'foundry-out/PositionManager.sol/PositionManager.json',
        licence: 'MIT',
        uses: ['modifyLiquidities'],
      },
      {
        name: 'Permit2',
        path: 'lib/permit2/test/utils/DeployPermit2.sol',
        licence: 'MIT',
        uses: ['approve'],
      },
    ],
  },
  {
    // The version that is deployed on the networks: `deploy-addresses/*.json` of this package has its addresses.
    name: '@uniswap/universal-router',
    version: '2.0.0',
    integrity:
      'sha512-6V21kuf547hE1gLfLQ89gv41DMSJY1ZZKer/k7CBagNPJ0oDnUyme+qQPtdoWknyUgSKd1M6sDm/WpocjVmPlA==',
    pieces: [
      {
        name: 'UniversalRouter',
        path: 'artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
        licence: 'GPL-3.0-or-later',
        uses: ['execute'],
      },
    ],
  },
  {
    name: '@cowprotocol/contracts',
    version: '1.8.0',
    integrity:
      'sha512-rMEHo1UBB6k4kRoWejHZNGggg6IBVt7vAd8x0FhEvjxhbq3zlAex61f9HpAcDExJNuvfwwDjsOc/7UGztCzhSw==',
    pieces: [
      {
        name: 'GPv2Settlement',
        path: 'lib/contracts/GPv2Settlement.json',
        licence: 'LGPL-3.0-or-later',
        uses: ['settle', 'vaultRelayer'],
      },
      {
        name: 'GPv2AllowListAuthentication',
        path: 'lib/contracts/GPv2AllowListAuthentication.json',
        licence: 'LGPL-3.0-or-later',
        uses: ['addSolver', 'initializeManager'],
      },
    ],
  },
  {
    name: '@balancer-labs/v2-deployments',
    version: '3.2.0',
    integrity:
      'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw==',
    pieces: [
      {
        name: 'Authorizer',
        path: 'dist/tasks/20210418-authorizer/artifact/Authorizer.json',
        licence: 'GPL-3.0-only',
        uses: [],
      },
      {
        name: 'Vault',
        path: 'dist/tasks/20210418-vault/artifact/Vault.json',
        licence: 'GPL-3.0-only',
        uses: ['batchSwap', 'getPool', 'getPoolTokens', 'joinPool', 'swap'],
      },
      {
        name: 'BalancerQueries',
        path: 'dist/tasks/20220721-balancer-queries/artifact/BalancerQueries.json',
        licence: 'GPL-3.0-only',
        uses: ['queryBatchSwap', 'querySwap', 'vault'],
      },
      {
        name: 'WeightedPoolFactory',
        path: 'dist/tasks/deprecated/20210418-weighted-pool/artifact/WeightedPoolFactory.json',
        licence: 'GPL-3.0-only',
        uses: ['create'],
      },
    ],
  },
]

/** The contract of Permit2 for calls: `approve` of IAllowanceTransfer, in `@uniswap/permit2-sdk` 1.4.0. */
const permit2Abi = [
  {
    type: 'function',
    name: 'approve',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'token', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'amount', type: 'uint160' },
      { name: 'expiration', type: 'uint48' },
    ],
    outputs: [],
  },
]

/** What a file was made by and holds: by another script or with another byte in it, it is made anew. */
export const madeBy = (made: object): string =>
  createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .update(JSON.stringify(made))
    .digest('hex')

type Published = { abi: { type: string; name?: string }[]; bytecode: string | { object: string } }

/** Permit2 is published as its runtime code in a source; what deploys it copies and returns that. */
function permit2(source: string): Published {
  const code = /hex"([0-9a-f]+)"/.exec(source)?.[1]
  if (!code) throw new Error('Permit2 is not where it was')
  const length = (code.length / 2).toString(16).padStart(4, '0')
  return { abi: permit2Abi, bytecode: `0x61${length}80600a3d393df3${code}` }
}

function taken({ name, path, licence, uses }: Piece, from: object, text: string): string {
  const { abi, bytecode } = name === 'Permit2' ? permit2(text) : (JSON.parse(text) as Published)
  const code = typeof bytecode === 'string' ? bytecode : bytecode.object
  if (!/^0x([0-9a-f]{2})+$/i.test(code)) throw new Error(`${path} has no bytecode`)
  const isUsed = (one: (typeof abi)[number]) =>
    one.type === 'constructor' || (one.type === 'function' && uses.includes(one.name!))
  const made = { ...from, path, licence, abi: abi.filter(isUsed), bytecode: code }
  return `${JSON.stringify({ madeBy: madeBy(made), ...made })}\n`
}

if (import.meta.main)
  for (const { pieces, terms, ...about } of publishedPackages) {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-published-'))
    try {
      const packing = ['pack', `${about.name}@${about.version}`, '--json', '--loglevel=error']
      const said = execFileSync('npm', packing, { cwd: dir, maxBuffer: 1 << 28 }).toString()
      const [{ filename, integrity }] = JSON.parse(said)
      if (integrity !== about.integrity)
        throw new Error(`${about.name} is ${integrity}, not ${about.integrity}`)
      const paths = [...pieces.map(({ path }) => path), ...(terms ? [terms] : [])]
      execFileSync('tar', ['-xzf', filename, ...paths.map((path) => `package/${path}`)], { cwd: dir })
      if (terms) copyFileSync(join(dir, 'package', terms), join(publishedDir, basename(terms)))
      const { name, ...rest } = about
      for (const piece of pieces) {
        const text = readFileSync(join(dir, 'package', piece.path), 'utf8')
        writeFileSync(
          join(publishedDir, `${piece.name}.json`),
          taken(piece, { package: name, ...rest }, text),
        )
      }
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }

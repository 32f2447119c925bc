/** An official SDK that sluice is compared with, and the exact packages it runs on. They are no dependencies of sluice. */
export type Oracle = {
  name: string
  script: string
  packages: Record<string, string>
  overrides?: Record<string, string | Record<string, string>>
}

/** Replaces packages that an SDK loads for other purposes with an empty package; some of them cannot be installed any more. */
const without = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, 'npm:empty-npm-package@1.0.0']))

/** Every compared SDK. Their peer dependencies conflict, so each is installed in a directory of its own. */
export const oracles: readonly Oracle[] = [
  {
    name: 'aave-v3',
    script: 'aave-v3.cjs',
    packages: {
      '@aave/contract-helpers': '1.38.0',
      '@aave/math-utils': '1.38.0',
      ethers: '5.8.0',
      'bignumber.js': '11.1.5',
      'reflect-metadata': '0.1.14',
      tslib: '2.9.1',
      graphql: '16.11.0',
      'isomorphic-unfetch': '3.1.0',
    },
  },
  {
    name: 'across',
    script: 'across.cjs',
    packages: {
      '@across-protocol/sdk': '4.3.88',
      '@across-protocol/contracts': '5.0.27',
      '@across-protocol/across-token': '1.0.0',
      '@across-protocol/constants': '3.1.84',
      '@ethersproject/bignumber': '5.8.0',
      'bignumber.js': '9.3.1',
      bs58: '6.0.0',
      'decimal.js': '10.6.0',
      ethers: '5.8.0',
      lodash: '4.18.1',
      superstruct: '0.15.5',
      tslib: '2.9.1',
    },
    overrides: {
      // The version that the SDK was built with; the newer one has its contract addresses.
      '@across-protocol/sdk': { '@across-protocol/contracts': '4.1.12' },
      ...without(
        '@coral-xyz/anchor',
        '@defi-wonderland/smock',
        '@eth-optimism/contracts',
        '@eth-optimism/sdk',
        '@openzeppelin/contracts',
        '@openzeppelin/contracts-upgradeable',
        '@openzeppelin/foundry-upgrades',
        '@pinata/sdk',
        '@safe-global/protocol-kit',
        '@scroll-tech/contracts',
        '@solana-developers/helpers',
        '@solana-program/address-lookup-table',
        '@solana-program/system',
        '@solana-program/token',
        '@solana-program/token-2022',
        '@solana/kit',
        '@solana/spl-token',
        '@solana/web3.js',
        '@types/mocha',
        '@uma/common',
        '@uma/contracts-node',
        '@uma/core',
        'arweave',
        'axios',
        'hardhat',
        'node-gyp',
        'prettier-plugin-rust',
        'viem',
        'yargs',
        'zksync-web3',
      ),
    },
  },
  {
    name: 'address-books',
    script: 'address-books.cjs',
    packages: {
      '@aave-dao/aave-address-book': '4.68.1',
      '@uniswap/default-token-list': '22.21.0',
      '@uniswap/sdk-core': '7.19.4',
    },
    overrides: { jsbi: '3.2.5' },
  },
  {
    name: 'balancer-v2',
    script: 'balancer-v2.cjs',
    packages: { '@balancer/sdk': '6.1.1', viem: '2.51.3' },
  },
  {
    name: 'cctp-v2',
    script: 'cctp-v2.mjs',
    packages: { '@circle-fin/provider-cctp-v2': '1.14.0', viem: '2.57.1' },
    overrides: { ox: '0.14.45' },
  },
  {
    name: 'compound-v2',
    script: 'compound-v2.cjs',
    packages: { '@compound-finance/compound-js': '0.6.2', ethers: '5.8.0' },
  },
  {
    name: 'compound-v3',
    script: 'compound-v3.cjs',
    packages: { '@compound-finance/compound-js': '0.6.2', ethers: '5.8.0' },
  },
  {
    name: 'lido',
    script: 'lido.mjs',
    packages: { '@lidofinance/lido-ethereum-sdk': '4.9.0', viem: '2.57.1' },
    overrides: { ox: '0.14.45' },
  },
  {
    name: 'morpho',
    script: 'morpho.mjs',
    packages: { '@morpho-org/blue-sdk': '6.4.0', '@morpho-org/morpho-ts': '2.8.0', viem: '2.57.1' },
    overrides: { viem: '2.57.1', ox: '0.14.45' },
  },
  {
    name: 'morpho-factories',
    script: 'morpho-factories.mjs',
    packages: {
      '@morpho-org/blue-sdk': '6.4.0',
      // The last version before two of the networks got the current vault factory.
      'blue-sdk-before': 'npm:@morpho-org/blue-sdk@2.1.2',
      '@morpho-org/morpho-ts': '2.8.0',
      viem: '2.57.1',
    },
    overrides: { viem: '2.57.1', ox: '0.14.45' },
  },
  {
    name: 'pancakeswap-v3',
    script: 'pancakeswap-v3.cjs',
    packages: {
      '@pancakeswap/sdk': '5.9.2',
      '@pancakeswap/smart-router': '7.7.3',
      '@pancakeswap/v3-sdk': '3.10.2',
    },
  },
  {
    name: 'relay',
    script: 'relay.cjs',
    packages: { '@reservoir0x/relay-protocol-sdk': '0.0.63', viem: '2.57.1' },
    overrides: {
      viem: '2.57.1',
      ox: '0.14.45',
      // Packages for chains other than EVM chains.
      ...without(
        '@coral-xyz/anchor',
        '@mysten/sui',
        'bech32',
        'bitcoinjs-lib',
        'bs58',
        'js-sha256',
        'tronweb',
      ),
    },
  },
  {
    name: 'stakewise',
    script: 'stakewise.mjs',
    packages: { '@stakewise/v3-sdk': '2.0.2', ethers: '6.12.1', 'bignumber.js': '9.1.2' },
  },
  {
    name: 'uniswap-v2',
    script: 'uniswap-v2.cjs',
    packages: {
      '@uniswap/v2-sdk': '4.21.4',
      '@uniswap/sdk-core': '7.19.4',
      jsbi: '3.2.5',
    },
    overrides: { jsbi: '3.2.5' },
  },
  {
    name: 'uniswap-v3',
    script: 'uniswap-v3.cjs',
    packages: {
      '@uniswap/router-sdk': '2.11.5',
      '@uniswap/v3-sdk': '3.31.5',
      '@uniswap/v2-sdk': '4.21.4',
      '@uniswap/sdk-core': '7.19.4',
      jsbi: '3.2.5',
    },
    overrides: { jsbi: '3.2.5' },
  },
  {
    name: 'uniswap-v4',
    script: 'uniswap-v4.cjs',
    packages: {
      '@uniswap/universal-router-sdk': '5.13.0',
      '@uniswap/v4-sdk': '2.4.0',
      '@uniswap/sdk-core': '7.19.4',
      jsbi: '3.2.5',
    },
    overrides: { jsbi: '3.2.5' },
  },
]

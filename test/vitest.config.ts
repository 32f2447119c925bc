import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Two cores, and one more: test files wait for chains and processes more than they reckon.
    maxWorkers: 3,
    // No test replaces a module, so a worker keeps those it has loaded for its next file.
    isolate: false,
    // A busy machine is slow, and nothing here fails for that.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 20_000,
  },
})

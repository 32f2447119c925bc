-- The journal of a home whose version kept the quotes of swaps from Bitcoin in a table of their own, as it wrote it: with a remote service.
PRAGMA application_id=1936484913;
PRAGMA user_version=8;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE step_move (was TEXT NOT NULL, becomes TEXT NOT NULL, PRIMARY KEY (was, becomes)) STRICT, WITHOUT ROWID;
INSERT INTO step_move VALUES('BROADCAST','INCLUDED');
INSERT INTO step_move VALUES('BROADCAST','SUPERSEDED');
INSERT INTO step_move VALUES('CANCELLED','INCLUDED');
INSERT INTO step_move VALUES('FINAL_OK','INCLUDED');
INSERT INTO step_move VALUES('FINAL_REVERTED','INCLUDED');
INSERT INTO step_move VALUES('INCLUDED','BROADCAST');
INSERT INTO step_move VALUES('INCLUDED','CANCELLED');
INSERT INTO step_move VALUES('INCLUDED','FINAL_OK');
INSERT INTO step_move VALUES('INCLUDED','FINAL_REVERTED');
INSERT INTO step_move VALUES('PLANNED','RESERVED');
INSERT INTO step_move VALUES('RESERVED','PLANNED');
INSERT INTO step_move VALUES('RESERVED','SIGNED');
INSERT INTO step_move VALUES('SIGNED','BROADCAST');
INSERT INTO step_move VALUES('SUPERSEDED','BROADCAST');
CREATE TABLE operation_move (was TEXT NOT NULL, becomes TEXT NOT NULL, PRIMARY KEY (was, becomes)) STRICT, WITHOUT ROWID;
INSERT INTO operation_move VALUES('ATTENTION','CANCELLED');
INSERT INTO operation_move VALUES('ATTENTION','EXECUTING');
INSERT INTO operation_move VALUES('CANCELLED','EXECUTING');
INSERT INTO operation_move VALUES('DONE','EXECUTING');
INSERT INTO operation_move VALUES('EXECUTING','ATTENTION');
INSERT INTO operation_move VALUES('EXECUTING','CANCELLED');
INSERT INTO operation_move VALUES('EXECUTING','DONE');
INSERT INTO operation_move VALUES('EXECUTING','FAILED');
INSERT INTO operation_move VALUES('EXECUTING','PARTIAL');
INSERT INTO operation_move VALUES('FAILED','EXECUTING');
INSERT INTO operation_move VALUES('OPEN','CANCELLED');
INSERT INTO operation_move VALUES('OPEN','DROPPED');
INSERT INTO operation_move VALUES('OPEN','EXECUTING');
INSERT INTO operation_move VALUES('PARTIAL','CANCELLED');
INSERT INTO operation_move VALUES('PARTIAL','EXECUTING');
CREATE TABLE operation (
    id TEXT PRIMARY KEY, idem_key TEXT NOT NULL, request_hash TEXT NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL,
    kind TEXT NOT NULL, wallet TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'OPEN', exit INTEGER, result TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL
  ) STRICT;
CREATE TABLE leg (
    operation TEXT NOT NULL REFERENCES operation (id), leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    arrival_token TEXT, arrival_minimum TEXT, arrival_recipient TEXT, arrival_hash TEXT, PRIMARY KEY (operation, leg)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE step (
    operation TEXT NOT NULL, idx INTEGER NOT NULL, leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    wallet TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
    target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    nonce INTEGER, from_block INTEGER, state TEXT NOT NULL DEFAULT 'PLANNED',
    final_hash TEXT, block_number INTEGER, block_hash TEXT, gas_used TEXT, gas_price TEXT,
    PRIMARY KEY (operation, idx), FOREIGN KEY (operation, leg) REFERENCES leg (operation, leg),
    CHECK ((nonce IS NULL) = (state = 'PLANNED'))
  ) STRICT, WITHOUT ROWID;
CREATE TABLE attempt (
    hash TEXT PRIMARY KEY, operation TEXT NOT NULL, idx INTEGER NOT NULL, raw TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('run', 'bump', 'cancel')),
    chain_id INTEGER NOT NULL, nonce INTEGER NOT NULL, target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    gas TEXT NOT NULL, max_fee TEXT NOT NULL, max_priority TEXT NOT NULL,
    created INTEGER NOT NULL, sends INTEGER NOT NULL DEFAULT 0, last_answer TEXT,
    FOREIGN KEY (operation, idx) REFERENCES step (operation, idx)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, idx INTEGER, was TEXT NOT NULL, becomes TEXT NOT NULL,
    why TEXT NOT NULL, at INTEGER NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
  , kind TEXT NOT NULL DEFAULT 'moved', ref TEXT) STRICT;
CREATE TABLE head (chain_id INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, seen INTEGER NOT NULL) STRICT;
CREATE TABLE hold (
    operation TEXT NOT NULL REFERENCES operation (id), asset TEXT NOT NULL, amount TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (operation, asset)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE pin (
    chain_id INTEGER NOT NULL, address TEXT NOT NULL, code_hash TEXT NOT NULL, implementation TEXT, implementation_hash TEXT,
    at INTEGER NOT NULL, PRIMARY KEY (chain_id, address)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE elsewhere (
    chain_id INTEGER NOT NULL, wallet TEXT NOT NULL, nonce INTEGER NOT NULL, nodes TEXT NOT NULL, said TEXT NOT NULL,
    hash TEXT, target TEXT, data TEXT, value TEXT, at INTEGER NOT NULL, PRIMARY KEY (chain_id, wallet, nonce)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE bitcoin_quote (
    idem_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, quote TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO bitcoin_quote VALUES('address bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"quoteId":"fa045039-f20b-42a6-a223-5fd3747c8c47"}',1796028560713);
INSERT INTO bitcoin_quote VALUES('address bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"quoteId":"ff42ed69-2160-4ad9-8276-eee0e0d470ea"}',1796028541223);
INSERT INTO bitcoin_quote VALUES('deposit of fa045039-f20b-42a6-a223-5fd3747c8c47','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"id":"fa045039-f20b-42a6-a223-5fd3747c8c47","provider":"near-intents","createdAt":1796028560692,"expiresAt":1796042960441,"deposit":{"address":"bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu","amount":"2000000","memo":null,"until":"2026-11-30T12:49:20.441Z","late":"A payment below the amount, or one that cannot be swapped, is refunded to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 after the deadline, less 0.000015 BTC. An excess is refunded after the swap. A payment after the deadline may be lost.","refundFee":"1500","uri":"bitcoin:bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu?amount=0.02"},"earlier":[],"amountIn":"2000000","minAmountOut":"1785627000","tokenOut":{"chainId":31337,"address":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","decimals":6,"symbol":"USDC","name":"USD Coin"},"recipient":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","refundsSender":false,"seconds":120}',1796028560716);
INSERT INTO bitcoin_quote VALUES('deposit of ff42ed69-2160-4ad9-8276-eee0e0d470ea','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"id":"ff42ed69-2160-4ad9-8276-eee0e0d470ea","provider":"near-intents","createdAt":1796028541216,"expiresAt":1796042941040,"deposit":{"address":"bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r","amount":"1000000","memo":null,"until":"2026-11-30T12:49:01.040Z","late":"A payment below the amount, or one that cannot be swapped, is refunded to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 after the deadline, less 0.000015 BTC. An excess is refunded after the swap. A payment after the deadline may be lost.","refundFee":"1500","uri":"bitcoin:bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r?amount=0.01"},"earlier":[],"amountIn":"1000000","minAmountOut":"892813500","tokenOut":{"chainId":31337,"address":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","decimals":6,"symbol":"USDC","name":"USD Coin"},"recipient":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","refundsSender":false,"seconds":120}',1796028541226);
INSERT INTO bitcoin_quote VALUES('old-key-open','062cfb3bbcd28b46acf7e5ebc4962bd55e21a5d2d3debdff87b8a56b68692a55','{"raw":{"id":"fa045039-f20b-42a6-a223-5fd3747c8c47","quoteId":"fa045039-f20b-42a6-a223-5fd3747c8c47","originChain":"bitcoin","destinationChain":"sandbox-one","tokenIn":{"contract":"0x0000000000000000000000000000000000000000","symbol":"BTC","decimals":8,"amount":"2000000","chainId":8253038,"priceUSD":null},"tokenOut":{"contract":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","symbol":"USDC","decimals":6,"amount":"1794600000","chainId":31337,"priceUSD":"1"},"provider":"near-intents","deadline":1796042960,"deadlineDate":"2026-11-30T12:49:20.000Z","chainIdIn":8253038,"chainIdOut":31337,"rawQuote":{"deposit":{"address":"bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu","amount":"2000000","memo":null,"until":"2026-11-30T12:49:20.441Z","late":"A payment below the amount, or one that cannot be swapped, is refunded to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 after the deadline, less 0.000015 BTC. An excess is refunded after the swap. A payment after the deadline may be lost.","refundFee":"1500","uri":"bitcoin:bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu?amount=0.02"},"provider":{"asset":{"assetId":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","decimals":6,"blockchain":"sandbox-one","symbol":"USDC","contractAddress":"0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"},"answer":{"timestamp":"2026-11-30T08:49:20.446Z","signature":"ed25519:3ubHJrxDbi5j3xfRZjtkvVbPSr5FGT2g12NK6yxewe4NpMb4AYRFWZRPkfV7yT97o1tuZjzqWG8EgKTTicBabR4Z","quoteRequest":{"dry":false,"swapType":"EXACT_INPUT","slippageTolerance":50,"originAsset":"1cs_v1:btc:native:coin","destinationAsset":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","amount":"2000000","refundTo":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","recipient":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","deadline":"2026-11-30T12:49:20.441Z","depositType":"ORIGIN_CHAIN","refundType":"ORIGIN_CHAIN","recipientType":"DESTINATION_CHAIN"},"quote":{"amountIn":"2000000","amountInFormatted":"2000000","amountInUsd":"0","minAmountIn":"2000000","amountOut":"1794600000","amountOutFormatted":"1794600000","amountOutUsd":"0","minAmountOut":"1785627000","timeEstimate":120,"depositAddress":"bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu","deadline":"2026-12-03T12:49:20.441Z","timeWhenInactive":"2026-12-03T12:49:20.441Z","refundFee":"1500"},"correlationId":"db911110-df3a-4def-920e-36b911c4bf1b"}},"earlier":[]},"status":"pending","feeSponsorship":false,"customer":"acme","minAmountOut":"1785627000","maxAmountIn":"2000000","slippage":0.005,"priceImpact":null,"estimatedGas":null,"gasCostUSD":null,"netAmountOut":null,"netAmountIn":null,"durationSeconds":120,"fees":[],"alternatives":[],"feeSponsorshipReason":null,"destinationAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"},"slippage":null,"destination":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',1796028560880);
INSERT INTO bitcoin_quote VALUES('old-key-remote','3bd6e978053b7b4f50b61ee7cabe7df4aa7a1894fc87d1b815d2b2d4b1b75ed1','{"raw":{"id":"ff42ed69-2160-4ad9-8276-eee0e0d470ea","quoteId":"ff42ed69-2160-4ad9-8276-eee0e0d470ea","originChain":"bitcoin","destinationChain":"sandbox-one","tokenIn":{"contract":"0x0000000000000000000000000000000000000000","symbol":"BTC","decimals":8,"amount":"1000000","chainId":8253038,"priceUSD":null},"tokenOut":{"contract":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","symbol":"USDC","decimals":6,"amount":"897300000","chainId":31337,"priceUSD":"1"},"provider":"near-intents","deadline":1796042941,"deadlineDate":"2026-11-30T12:49:01.000Z","chainIdIn":8253038,"chainIdOut":31337,"rawQuote":{"deposit":{"address":"bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r","amount":"1000000","memo":null,"until":"2026-11-30T12:49:01.040Z","late":"A payment below the amount, or one that cannot be swapped, is refunded to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 after the deadline, less 0.000015 BTC. An excess is refunded after the swap. A payment after the deadline may be lost.","refundFee":"1500","uri":"bitcoin:bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r?amount=0.01"},"provider":{"asset":{"assetId":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","decimals":6,"blockchain":"sandbox-one","symbol":"USDC","contractAddress":"0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"},"answer":{"timestamp":"2026-11-30T08:49:01.071Z","signature":"ed25519:4Gv6EX9XneaHRuNwJnoyUjvVTF441NiVQ2th6XDCehqVrnamc37WuLq6hjWA9xkKqe3bszdjVj198moEV2jB1RaB","quoteRequest":{"dry":false,"swapType":"EXACT_INPUT","slippageTolerance":50,"originAsset":"1cs_v1:btc:native:coin","destinationAsset":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","amount":"1000000","refundTo":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","recipient":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","deadline":"2026-11-30T12:49:01.040Z","depositType":"ORIGIN_CHAIN","refundType":"ORIGIN_CHAIN","recipientType":"DESTINATION_CHAIN"},"quote":{"amountIn":"1000000","amountInFormatted":"1000000","amountInUsd":"0","minAmountIn":"1000000","amountOut":"897300000","amountOutFormatted":"897300000","amountOutUsd":"0","minAmountOut":"892813500","timeEstimate":120,"depositAddress":"bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r","deadline":"2026-12-03T12:49:01.040Z","timeWhenInactive":"2026-12-03T12:49:01.040Z","refundFee":"1500"},"correlationId":"67389880-75db-493b-aeae-c9f08779d7ce"}},"earlier":[]},"status":"pending","feeSponsorship":false,"customer":"acme","minAmountOut":"892813500","maxAmountIn":"1000000","slippage":0.005,"priceImpact":null,"estimatedGas":null,"gasCostUSD":null,"netAmountOut":null,"netAmountIn":null,"durationSeconds":120,"fees":[],"alternatives":[],"feeSponsorshipReason":null,"destinationAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"},"slippage":null,"destination":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',1796028541350);
INSERT INTO bitcoin_quote VALUES('payment 31337 0x2188db1601d0a6d743433296acce32e37c0d6e38d94f1556029a93c083c01981 0','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"quoteId":"ff42ed69-2160-4ad9-8276-eee0e0d470ea"}',1796028558464);
INSERT INTO bitcoin_quote VALUES('payment 8253038 63fd55a651d79233b3829349bf1d3611f65c7e71e25bdc956da70b3f8e24591a 0','44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{"quoteId":"ff42ed69-2160-4ad9-8276-eee0e0d470ea"}',1796028558449);
CREATE TABLE used_order (id TEXT PRIMARY KEY, owner TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO used_order VALUES('near-intents:bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu','quote fa045039-f20b-42a6-a223-5fd3747c8c47',1796028560652);
INSERT INTO used_order VALUES('near-intents:bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r','quote ff42ed69-2160-4ad9-8276-eee0e0d470ea',1796028541208);
DELETE FROM sqlite_sequence;
CREATE UNIQUE INDEX one_key_one_operation ON operation (idem_key) WHERE state <> 'DROPPED';
CREATE INDEX operation_by_wallet ON operation (wallet, created);
CREATE TRIGGER operation_state BEFORE UPDATE OF state ON operation WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM operation_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'operation: no such move'); END;
CREATE TRIGGER operation_never_delete BEFORE DELETE ON operation
   BEGIN SELECT RAISE(ABORT, 'operation: what is written stays'); END;
CREATE TRIGGER leg_never_update BEFORE UPDATE OF operation, leg, chain_id, arrival_token, arrival_minimum, arrival_recipient ON leg
   BEGIN SELECT RAISE(ABORT, 'leg: what is written stays'); END;
CREATE TRIGGER leg_never_delete BEFORE DELETE ON leg
   BEGIN SELECT RAISE(ABORT, 'leg: what is written stays'); END;
CREATE UNIQUE INDEX one_nonce_one_step ON step (chain_id, wallet, nonce)
    WHERE nonce IS NOT NULL AND state <> 'SUPERSEDED';
CREATE TRIGGER step_state BEFORE UPDATE OF state ON step WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM step_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'step: no such move'); END;
CREATE TRIGGER step_nonce BEFORE UPDATE OF nonce ON step
    WHEN OLD.nonce IS NOT NEW.nonce AND OLD.state NOT IN ('PLANNED', 'RESERVED')
    BEGIN SELECT RAISE(ABORT, 'step: one nonce for its whole life'); END;
CREATE TRIGGER step_never_update BEFORE UPDATE OF operation, idx, leg, chain_id, wallet, role, text, target, value, data ON step
   BEGIN SELECT RAISE(ABORT, 'step: what is written stays'); END;
CREATE TRIGGER attempt_is_its_step BEFORE INSERT ON attempt WHEN NOT EXISTS (
    SELECT 1 FROM step WHERE step.operation = NEW.operation AND step.idx = NEW.idx AND step.nonce = NEW.nonce
      AND step.chain_id = NEW.chain_id AND step.state <> 'PLANNED' AND (NEW.kind = 'cancel'
      OR (step.target = NEW.target AND step.value = NEW.value AND step.data = NEW.data)))
    BEGIN SELECT RAISE(ABORT, 'attempt: it is not its step'); END;
CREATE TRIGGER attempt_of_a_living_operation BEFORE INSERT ON attempt WHEN NEW.kind <> 'cancel' AND NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING'))
    BEGIN SELECT RAISE(ABORT, 'attempt: its operation is closed'); END;
CREATE TRIGGER attempt_never_update BEFORE UPDATE OF hash, operation, idx, raw, kind, chain_id, nonce, target, value, data, gas, max_fee, max_priority, created ON attempt
   BEGIN SELECT RAISE(ABORT, 'attempt: what is written stays'); END;
CREATE TRIGGER attempt_never_delete BEFORE DELETE ON attempt
   BEGIN SELECT RAISE(ABORT, 'attempt: what is written stays'); END;
CREATE TRIGGER event_never_delete BEFORE DELETE ON event
   BEGIN SELECT RAISE(ABORT, 'event: what is written stays'); END;
CREATE INDEX hold_by_asset ON hold (asset, at);
CREATE TRIGGER hold_never_update BEFORE UPDATE ON hold
   BEGIN SELECT RAISE(ABORT, 'hold: what is written stays'); END;
CREATE TRIGGER hold_never_delete BEFORE DELETE ON hold
   BEGIN SELECT RAISE(ABORT, 'hold: what is written stays'); END;
CREATE TRIGGER pin_never_delete BEFORE DELETE ON pin
   BEGIN SELECT RAISE(ABORT, 'pin: what is written stays'); END;
CREATE TRIGGER step_never_delete BEFORE DELETE ON step
    WHEN OLD.state <> 'PLANNED' OR EXISTS (SELECT 1 FROM attempt WHERE operation = OLD.operation AND idx = OLD.idx)
    BEGIN SELECT RAISE(ABORT, 'step: what was signed stays'); END;
CREATE TRIGGER step_of_a_living_operation BEFORE INSERT ON step WHEN NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'))
    BEGIN SELECT RAISE(ABORT, 'step: its operation is closed'); END;
CREATE TRIGGER operation_never_update BEFORE UPDATE OF id, idem_key, request_hash, request, kind, wallet, created ON operation
   BEGIN SELECT RAISE(ABORT, 'operation: what is written stays'); END;
CREATE TRIGGER operation_plan BEFORE UPDATE OF plan ON operation
    WHEN OLD.state NOT IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION')
    BEGIN SELECT RAISE(ABORT, 'operation: it is closed'); END;
CREATE INDEX event_by_operation ON event (operation, seq);
CREATE TRIGGER operation_reopens BEFORE UPDATE OF state ON operation
    WHEN OLD.state = 'CANCELLED' AND NEW.state = 'EXECUTING' AND OLD.exit IS NOT 24
    BEGIN SELECT RAISE(ABORT, 'operation: it was given up'); END;
CREATE TRIGGER bitcoin_quote_never_update BEFORE UPDATE ON bitcoin_quote
   BEGIN SELECT RAISE(ABORT, 'bitcoin_quote: what is written stays'); END;
CREATE TRIGGER bitcoin_quote_never_delete BEFORE DELETE ON bitcoin_quote
   BEGIN SELECT RAISE(ABORT, 'bitcoin_quote: what is written stays'); END;
CREATE TRIGGER one_key_one_request BEFORE INSERT ON operation
    WHEN EXISTS (SELECT 1 FROM bitcoin_quote WHERE idem_key = NEW.idem_key)
    BEGIN SELECT RAISE(ABORT, 'operation: its key has a quote of a swap from Bitcoin'); END;
CREATE TRIGGER used_order_never_update BEFORE UPDATE ON used_order
   BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;
CREATE TRIGGER used_order_never_delete BEFORE DELETE ON used_order
    WHEN NOT EXISTS (SELECT 1 FROM operation WHERE id = OLD.owner AND state = 'DROPPED')
    BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;
CREATE TRIGGER dropped_operation_frees_its_orders AFTER UPDATE OF state ON operation WHEN NEW.state = 'DROPPED'
    BEGIN DELETE FROM used_order WHERE owner = NEW.id; END;
CREATE TRIGGER event_never_update BEFORE UPDATE ON event
   BEGIN SELECT RAISE(ABORT, 'event: what is written stays'); END;
COMMIT;

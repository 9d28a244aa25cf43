CREATE TABLE public.epcis_capture_jobs (
    number integer NOT NULL,
    id text NOT NULL,
    tenant text NOT NULL,
    body text NOT NULL
);
CREATE SEQUENCE public.epcis_capture_jobs_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.epcis_capture_jobs_number_seq OWNED BY public.epcis_capture_jobs.number;
CREATE TABLE public.epcis_events (
    number bigint NOT NULL,
    "position" bigint NOT NULL,
    source text NOT NULL,
    id text NOT NULL,
    event_time bigint NOT NULL,
    record_time bigint NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.epcis_progress (
    one integer NOT NULL,
    "position" bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE public.epcis_queries (
    tenant text NOT NULL,
    name text NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.epcis_schema (
    one integer NOT NULL,
    version integer NOT NULL
);
CREATE TABLE public.epcis_subscriptions (
    id text NOT NULL,
    tenant text NOT NULL,
    query text NOT NULL,
    body text NOT NULL,
    cursor bigint NOT NULL,
    due bigint,
    notified bigint
);
CREATE TABLE public.epcis_terms (
    field text NOT NULL,
    value text NOT NULL,
    number bigint NOT NULL,
    written text NOT NULL
);
CREATE TABLE public.federation_cursors (
    url text NOT NULL,
    server text NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.federation_name (
    one integer NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.tocsin_change (
    version integer NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.tocsin_dead_letters (
    "position" bigint NOT NULL,
    tenant text NOT NULL,
    subscription text,
    code text NOT NULL,
    reason text NOT NULL,
    input text NOT NULL,
    event bigint,
    stored bigint NOT NULL,
    replayed bigint
);
CREATE TABLE public.tocsin_deliveries (
    tenant text NOT NULL,
    subscription text NOT NULL,
    deliver text NOT NULL,
    changed bigint NOT NULL,
    paused boolean NOT NULL,
    "position" bigint NOT NULL,
    failed integer NOT NULL,
    not_before bigint NOT NULL,
    reason text,
    ended text,
    delivered bigint NOT NULL,
    buried bigint NOT NULL,
    generation integer NOT NULL,
    rotated bigint NOT NULL,
    moved bigint NOT NULL,
    since bigint DEFAULT '0'::bigint NOT NULL
);
CREATE TABLE public.tocsin_delivery_changes (
    one integer NOT NULL,
    changed bigint NOT NULL
);
CREATE TABLE public.tocsin_delivery_followed (
    one integer NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.tocsin_events (
    "position" bigint NOT NULL,
    received bigint NOT NULL,
    tenant text NOT NULL,
    body bytea NOT NULL,
    code text,
    reason text
);
CREATE TABLE public.tocsin_generations (
    runner text NOT NULL,
    step bigint NOT NULL,
    "position" bigint NOT NULL,
    taken bigint NOT NULL,
    checksum text NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.tocsin_heads (
    name text NOT NULL,
    "position" bigint NOT NULL,
    instant bigint NOT NULL
);
CREATE TABLE public.tocsin_intake (
    name text NOT NULL,
    part text NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.tocsin_keys (
    id text NOT NULL,
    hash text NOT NULL,
    tenant text NOT NULL,
    scopes text NOT NULL,
    rate integer,
    created bigint NOT NULL,
    revoked bigint
);
CREATE TABLE public.tocsin_log (
    number integer NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    body text
);
CREATE SEQUENCE public.tocsin_log_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tocsin_log_number_seq OWNED BY public.tocsin_log.number;
CREATE TABLE public.tocsin_matches (
    "position" bigint NOT NULL,
    id text NOT NULL,
    tenant text NOT NULL,
    subscription text NOT NULL,
    detected bigint,
    stored bigint NOT NULL,
    body text NOT NULL,
    members text NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.tocsin_paused (
    subscription text NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.tocsin_plan (
    name text NOT NULL,
    version integer NOT NULL,
    origin text NOT NULL,
    wire text NOT NULL
);
CREATE TABLE public.tocsin_relays (
    name text NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.tocsin_runners (
    name text NOT NULL,
    "position" bigint NOT NULL,
    step bigint NOT NULL,
    version bigint NOT NULL,
    saved bigint NOT NULL
);
CREATE TABLE public.tocsin_sequences (
    name text NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.tocsin_snapshots (
    runner text NOT NULL,
    step bigint NOT NULL,
    "position" bigint NOT NULL,
    taken bigint NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.tocsin_steps (
    runner text NOT NULL,
    number bigint NOT NULL,
    until bigint NOT NULL,
    now bigint NOT NULL,
    version bigint NOT NULL,
    resumes boolean NOT NULL
);
CREATE TABLE public.tocsin_troubles (
    subscription text NOT NULL,
    code text NOT NULL,
    reason text NOT NULL,
    stored bigint NOT NULL
);
CREATE TABLE public.tocsin_version (
    one integer NOT NULL,
    version integer NOT NULL
);
ALTER TABLE ONLY public.epcis_capture_jobs ALTER COLUMN number SET DEFAULT nextval('public.epcis_capture_jobs_number_seq'::regclass);
ALTER TABLE ONLY public.tocsin_log ALTER COLUMN number SET DEFAULT nextval('public.tocsin_log_number_seq'::regclass);
INSERT INTO public.epcis_capture_jobs VALUES (1, '2286a491-5147-4b97-befd-94ff44119fa6', '', '{"captureID": "2286a491-5147-4b97-befd-94ff44119fa6", "createdAt": "2026-11-19T03:42:51.665855Z", "finishedAt": "2026-11-19T03:42:51.671961Z", "running": false, "success": true, "captureErrorBehaviour": "rollback", "errors": []}');
INSERT INTO public.epcis_events VALUES (1, 6, 'urn:epcglobal:epcis', 'urn:uuid:1', 1769842860000000, 1795059771665855, '{"id":"urn:uuid:1","source":"urn:epcglobal:epcis","type":"ObjectEvent","readpoint":"https://id.gs1.org/414/0614141000012","time":"2026-01-31T07:01:00Z","datacontenttype":"application/json","data":{"action":"OBSERVE","bizStep":"shipping","disposition":"in_transit","epcList":["urn:epc:id:sgtin:0614141.107346.1"],"eventID":"urn:uuid:1","eventTime":"2026-01-31T07:01:00Z","eventTimeZoneOffset":"+01:00","https://acme.example/rank":1,"readPoint":{"id":"urn:epc:id:sgln:0614141.00001.0"},"type":"ObjectEvent","recordTime":"2026-11-19T03:42:51.665855Z"}}');
INSERT INTO public.epcis_events VALUES (2, 7, 'urn:epcglobal:epcis', 'urn:uuid:2', 1769842920000000, 1795059771665855, '{"id":"urn:uuid:2","source":"urn:epcglobal:epcis","type":"ObjectEvent","readpoint":"https://id.gs1.org/414/0614141000012","time":"2026-01-31T07:02:00Z","datacontenttype":"application/json","data":{"action":"OBSERVE","bizStep":"shipping","disposition":"in_transit","epcList":["urn:epc:id:sgtin:0614141.107346.2"],"eventID":"urn:uuid:2","eventTime":"2026-01-31T07:02:00Z","eventTimeZoneOffset":"+01:00","https://acme.example/rank":2,"readPoint":{"id":"urn:epc:id:sgln:0614141.00001.0"},"type":"ObjectEvent","recordTime":"2026-11-19T03:42:51.665855Z"}}');
INSERT INTO public.epcis_progress VALUES (1, 7, 2);
INSERT INTO public.epcis_queries VALUES ('', 'shipped', '{"EQ_bizStep": ["shipping"]}');
INSERT INTO public.epcis_schema VALUES (1, 1);
INSERT INTO public.epcis_terms VALUES ('eventType', 'ObjectEvent', 1, 'ObjectEvent');
INSERT INTO public.epcis_terms VALUES ('action', 'OBSERVE', 1, 'OBSERVE');
INSERT INTO public.epcis_terms VALUES ('bizStep', 'shipping', 1, 'shipping');
INSERT INTO public.epcis_terms VALUES ('disposition', 'in_transit', 1, 'in_transit');
INSERT INTO public.epcis_terms VALUES ('readPoint', 'https://id.gs1.org/414/0614141000012', 1, 'urn:epc:id:sgln:0614141.00001.0');
INSERT INTO public.epcis_terms VALUES ('eventID', 'urn:uuid:1', 1, 'urn:uuid:1');
INSERT INTO public.epcis_terms VALUES ('epc', 'https://id.gs1.org/01/10614141073464/21/1', 1, 'urn:epc:id:sgtin:0614141.107346.1');
INSERT INTO public.epcis_terms VALUES ('eventType', 'ObjectEvent', 2, 'ObjectEvent');
INSERT INTO public.epcis_terms VALUES ('action', 'OBSERVE', 2, 'OBSERVE');
INSERT INTO public.epcis_terms VALUES ('bizStep', 'shipping', 2, 'shipping');
INSERT INTO public.epcis_terms VALUES ('disposition', 'in_transit', 2, 'in_transit');
INSERT INTO public.epcis_terms VALUES ('readPoint', 'https://id.gs1.org/414/0614141000012', 2, 'urn:epc:id:sgln:0614141.00001.0');
INSERT INTO public.epcis_terms VALUES ('eventID', 'urn:uuid:2', 2, 'urn:uuid:2');
INSERT INTO public.epcis_terms VALUES ('epc', 'https://id.gs1.org/01/10614141073464/21/2', 2, 'urn:epc:id:sgtin:0614141.107346.2');
INSERT INTO public.federation_cursors VALUES ('http://up.example', 'above', 5);
INSERT INTO public.federation_name VALUES (1, 'old');
INSERT INTO public.tocsin_change VALUES (1, 0);
INSERT INTO public.tocsin_change VALUES (2, 0);
INSERT INTO public.tocsin_change VALUES (3, 0);
INSERT INTO public.tocsin_change VALUES (4, 0);
INSERT INTO public.tocsin_change VALUES (5, 0);
INSERT INTO public.tocsin_change VALUES (6, 0);
INSERT INTO public.tocsin_change VALUES (7, 0);
INSERT INTO public.tocsin_change VALUES (8, 0);
INSERT INTO public.tocsin_change VALUES (9, 0);
INSERT INTO public.tocsin_dead_letters VALUES (1, '', NULL, 'InvalidEventError', 'time: ''nonsense'' is not an RFC 3339 time (write it like 2026-01-31T08:00:00Z, with a zone)', '{"specversion":"1.0","id":"bad","source":"shop","type":"offer","time":"nonsense","data":{}}', 5, 1795059771756591, NULL);
INSERT INTO public.tocsin_deliveries VALUES ('', 'sent', '{"webhook": "http://127.0.0.1:9/none"}', 1, false, 0, 2, 1795059772853588, 'All connection attempts failed', NULL, 0, 0, 1, 0, 1, 4);
INSERT INTO public.tocsin_delivery_changes VALUES (1, 1);
INSERT INTO public.tocsin_delivery_followed VALUES (1, 9);
INSERT INTO public.tocsin_events VALUES (1, 1795059771568599, '', '\x7b227370656376657273696f6e223a22312e30222c226964223a2230222c22736f75726365223a2273686f70222c2274797065223a226f66666572222c2274696d65223a22323032362d30312d30315430383a30303a30305a222c2264617461223a7b227072696365223a317d7d', NULL, NULL);
INSERT INTO public.tocsin_events VALUES (2, 1795059771568599, '', '\x7b227370656376657273696f6e223a22312e30222c226964223a2231222c22736f75726365223a2273686f70222c2274797065223a226f66666572222c2274696d65223a22323032362d30312d30315430383a30313a30305a222c2264617461223a7b227072696365223a377d7d', NULL, NULL);
INSERT INTO public.tocsin_events VALUES (3, 1795059771568599, '', '\x7b227370656376657273696f6e223a22312e30222c226964223a2232222c22736f75726365223a2273686f70222c2274797065223a226f66666572222c2274696d65223a22323032362d30312d30315430383a30323a30305a222c2264617461223a7b227072696365223a37307d7d', NULL, NULL);
INSERT INTO public.tocsin_events VALUES (4, 1795059771568599, '', '\x7b227370656376657273696f6e223a22312e30222c226964223a2233222c22736f75726365223a2273686f70222c2274797065223a226f66666572222c2274696d65223a22323032362d30312d30315430383a30333a30305a222c2264617461223a7b227072696365223a32307d7d', NULL, NULL);
INSERT INTO public.tocsin_events VALUES (5, 1795059771650263, '', '\x7b227370656376657273696f6e223a22312e30222c226964223a22626164222c22736f75726365223a2273686f70222c2274797065223a226f66666572222c2274696d65223a226e6f6e73656e7365222c2264617461223a7b7d7d', 'InvalidEventError', 'time: ''nonsense'' is not an RFC 3339 time (write it like 2026-01-31T08:00:00Z, with a zone)');
INSERT INTO public.tocsin_events VALUES (6, 1795059771668450, '', '\x7b226964223a2275726e3a757569643a31222c22736f75726365223a2275726e3a657063676c6f62616c3a6570636973222c2274797065223a224f626a6563744576656e74222c2272656164706f696e74223a2268747470733a2f2f69642e6773312e6f72672f3431342f30363134313431303030303132222c2274696d65223a22323032362d30312d33315430373a30313a30305a222c2264617461636f6e74656e7474797065223a226170706c69636174696f6e2f6a736f6e222c2264617461223a7b22616374696f6e223a224f425345525645222c2262697a53746570223a227368697070696e67222c22646973706f736974696f6e223a22696e5f7472616e736974222c226570634c697374223a5b2275726e3a6570633a69643a736774696e3a303631343134312e3130373334362e31225d2c226576656e744944223a2275726e3a757569643a31222c226576656e7454696d65223a22323032362d30312d33315430373a30313a30305a222c226576656e7454696d655a6f6e654f6666736574223a222b30313a3030222c2268747470733a2f2f61636d652e6578616d706c652f72616e6b223a312c2272656164506f696e74223a7b226964223a2275726e3a6570633a69643a73676c6e3a303631343134312e30303030312e30227d2c2274797065223a224f626a6563744576656e74222c227265636f726454696d65223a22323032362d31312d31395430333a34323a35312e3636353835355a227d7d', NULL, NULL);
INSERT INTO public.tocsin_events VALUES (7, 1795059771668450, '', '\x7b226964223a2275726e3a757569643a32222c22736f75726365223a2275726e3a657063676c6f62616c3a6570636973222c2274797065223a224f626a6563744576656e74222c2272656164706f696e74223a2268747470733a2f2f69642e6773312e6f72672f3431342f30363134313431303030303132222c2274696d65223a22323032362d30312d33315430373a30323a30305a222c2264617461636f6e74656e7474797065223a226170706c69636174696f6e2f6a736f6e222c2264617461223a7b22616374696f6e223a224f425345525645222c2262697a53746570223a227368697070696e67222c22646973706f736974696f6e223a22696e5f7472616e736974222c226570634c697374223a5b2275726e3a6570633a69643a736774696e3a303631343134312e3130373334362e32225d2c226576656e744944223a2275726e3a757569643a32222c226576656e7454696d65223a22323032362d30312d33315430373a30323a30305a222c226576656e7454696d655a6f6e654f6666736574223a222b30313a3030222c2268747470733a2f2f61636d652e6578616d706c652f72616e6b223a322c2272656164506f696e74223a7b226964223a2275726e3a6570633a69643a73676c6e3a303631343134312e30303030312e30227d2c2274797065223a224f626a6563744576656e74222c227265636f726454696d65223a22323032362d31312d31395430333a34323a35312e3636353835355a227d7d', NULL, NULL);
INSERT INTO public.tocsin_generations VALUES ('local', 1, 7, 1795059771982990, 'da7cc54e59f1e72592698874ab96be41', '\x800595ed010000000000007d94288c03687562944b018c0574696d6573948a07d7f108ec9860068a07d7f108ec9860068a07d7f108ec98600687948c0776657273696f6e944b098c066e6577657374948a07000a8eaaa949068c066f6c64657374944e8c096861735f626567756e94888c0468656c64945d948c047365656e945d94288c0473686f70948c01309486948c0473686f70948c01319486948c0473686f70948c01329486948c0473686f70948c01339486948c1375726e3a657063676c6f62616c3a6570636973948c0a75726e3a757569643a3194869468188c0a75726e3a757569643a32948694658c06656e67696e65947d942868044b028c036e6f77948a070060bdfa4e47068c056b6e6f776e948a07ff098eaaa949068c066576656e7473945d948c056e6f646573947d94288c06302070616972947d948c06312070616972947d948c06322070616972947d948c06717565756573945d94285d945d946573758c0475736564947d948c0470616972945d9473758c05656e646564945d948c056775617264947d94288c07737472696b6573947d948c0766616e5f6f7574945d94285d945d945d94658c076d617463686573947d94288c0d737562736372697074696f6e73947d948c0774656e616e7473947d948c0466726565947d942868214b068c046c656674947d94757575752e');
INSERT INTO public.tocsin_heads VALUES ('events', 7, 1795059771668450);
INSERT INTO public.tocsin_keys VALUES ('37c4cfbd', '2137e29c6063cafa932650f40b4d8d5cc127a2b2e6b7be1d6cff969193d06015', '', 'publish', NULL, 1795059771800597, NULL);
INSERT INTO public.tocsin_log VALUES (1, 1, 'define dock', '{"define": "dock", "region": "POLYGON((0 0,10 0,10 10,0 10,0 0))"}');
INSERT INTO public.tocsin_log VALUES (2, 2, 'subscription cheap', '{"id": "cheap", "language": "selector", "expression": "price < 100"}');
INSERT INTO public.tocsin_log VALUES (3, 3, 'subscription pair', '{"id": "pair", "language": "opsl", "expression": "=|(ARITH: price = 1; 1h)(ARITH: price = 2)", "policy": "unrestricted"}');
INSERT INTO public.tocsin_log VALUES (4, 4, 'subscription sent', '{"id": "sent", "language": "selector", "expression": "price = 7", "deliver": {"webhook": "http://127.0.0.1:9/none"}}');
INSERT INTO public.tocsin_log VALUES (5, 5, 'subscription gone', '{"id": "gone", "language": "selector", "expression": "price = 8"}');
INSERT INTO public.tocsin_log VALUES (6, 6, 'subscription resting', '{"id": "resting", "language": "selector", "expression": "price = 9"}');
INSERT INTO public.tocsin_log VALUES (7, 7, 'paused resting', '{"id": "resting", "language": "selector", "expression": "price = 9"}');
INSERT INTO public.tocsin_log VALUES (8, 7, 'subscription resting', NULL);
INSERT INTO public.tocsin_log VALUES (9, 8, 'subscription gone', NULL);
INSERT INTO public.tocsin_log VALUES (10, 9, 'subscription cheap', '{"id": "cheap", "language": "selector", "expression": "price < 50"}');
INSERT INTO public.tocsin_matches VALUES (1, '81b41e46956584e3fc3295bc019d232c', '', 'cheap', 1767254400000000, 1795059771756591, '{"subscription":"cheap","events":["0"],"sources":["shop"],"start":"2026-01-01T08:00:00Z","end":"2026-01-01T08:00:00Z","detected":"2026-01-01T08:00:00Z","place":null,"bindings":{},"outputs":[],"id":"81b41e46956584e3fc3295bc019d232c"}', '[1]', 9);
INSERT INTO public.tocsin_matches VALUES (2, 'c8af977466ab4643030f3bc48d825fd4', '', 'cheap', 1767254460000000, 1795059771756591, '{"subscription":"cheap","events":["1"],"sources":["shop"],"start":"2026-01-01T08:01:00Z","end":"2026-01-01T08:01:00Z","detected":"2026-01-01T08:01:00Z","place":null,"bindings":{},"outputs":[],"id":"c8af977466ab4643030f3bc48d825fd4"}', '[2]', 9);
INSERT INTO public.tocsin_matches VALUES (3, '4d0a1235cc85bce38024133ce83e765a', '', 'sent', 1767254460000000, 1795059771756591, '{"subscription":"sent","events":["1"],"sources":["shop"],"start":"2026-01-01T08:01:00Z","end":"2026-01-01T08:01:00Z","detected":"2026-01-01T08:01:00Z","place":null,"bindings":{},"outputs":[],"id":"4d0a1235cc85bce38024133ce83e765a"}', '[2]', 9);
INSERT INTO public.tocsin_matches VALUES (4, 'a446300ba8b6e1a480e5732d32248c04', '', 'cheap', 1767254580000000, 1795059771756591, '{"subscription":"cheap","events":["3"],"sources":["shop"],"start":"2026-01-01T08:03:00Z","end":"2026-01-01T08:03:00Z","detected":"2026-01-01T08:03:00Z","place":null,"bindings":{},"outputs":[],"id":"a446300ba8b6e1a480e5732d32248c04"}', '[4]', 9);
INSERT INTO public.tocsin_plan VALUES ('subscription cheap', 2, '0.1.0 3 14e6c770767aecff8bf024c8620d3cda ', '[100]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Ordered","path":["price"],"relation":"<","limit":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_plan VALUES ('subscription pair', 3, '0.1.0 3 1dd97972af9f732d114f9f19b08b864e dbda9522757def2b98c1da1c0df23802', '[1,2]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Join","parts":[{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":1}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}}],"conditions":[{"node":"Precedes","earlier":{"node":"Moment","part":0,"end":{"node":"End","name":"FINISH"}},"later":{"node":"Moment","part":1,"end":{"node":"End","name":"START"}},"gap":0,"or_equal":false},{"node":"Precedes","earlier":{"node":"Moment","part":1,"end":{"node":"End","name":"FINISH"}},"later":{"node":"Moment","part":0,"end":{"node":"End","name":"FINISH"}},"gap":-3600000000,"or_equal":true}],"policy":{"node":"Policy","name":"UNRESTRICTED"},"keep":null},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_plan VALUES ('subscription sent', 4, '0.1.0 3 b8d8e3b3c55896601cd8fd9a8fd4c941 ', '[7]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_plan VALUES ('subscription gone', 5, '0.1.0 3 0ee78e9c8adc159d522bb812fb16ecd0 ', '[8]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_plan VALUES ('subscription resting', 6, '0.1.0 3 0855b04bb4604cb3cdb09cd3f9b719f2 ', '[9]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_plan VALUES ('subscription cheap', 9, '0.1.0 3 e83b21826f0c715bd341a746c217df25 ', '[50]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Ordered","path":["price"],"relation":"<","limit":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO public.tocsin_runners VALUES ('local', 7, 1, 9, 1795059771756591);
INSERT INTO public.tocsin_sequences VALUES ('matches', 4);
INSERT INTO public.tocsin_sequences VALUES ('dead_letters', 1);
INSERT INTO public.tocsin_steps VALUES ('local', 1, 7, 1795059771568599, 9, true);
INSERT INTO public.tocsin_version VALUES (1, 9);
SELECT pg_catalog.setval('public.epcis_capture_jobs_number_seq', 2, false);
SELECT pg_catalog.setval('public.tocsin_log_number_seq', 11, false);
ALTER TABLE ONLY public.epcis_capture_jobs
    ADD CONSTRAINT epcis_capture_jobs_id_key UNIQUE (id);
ALTER TABLE ONLY public.epcis_capture_jobs
    ADD CONSTRAINT epcis_capture_jobs_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.epcis_events
    ADD CONSTRAINT epcis_events_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.epcis_progress
    ADD CONSTRAINT epcis_progress_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.epcis_queries
    ADD CONSTRAINT epcis_queries_pkey PRIMARY KEY (tenant, name);
ALTER TABLE ONLY public.epcis_schema
    ADD CONSTRAINT epcis_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.epcis_subscriptions
    ADD CONSTRAINT epcis_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.epcis_terms
    ADD CONSTRAINT epcis_terms_pkey PRIMARY KEY (field, value, number);
ALTER TABLE ONLY public.federation_cursors
    ADD CONSTRAINT federation_cursors_pkey PRIMARY KEY (url);
ALTER TABLE ONLY public.federation_name
    ADD CONSTRAINT federation_name_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.tocsin_change
    ADD CONSTRAINT tocsin_change_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.tocsin_dead_letters
    ADD CONSTRAINT tocsin_dead_letters_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.tocsin_deliveries
    ADD CONSTRAINT tocsin_deliveries_pkey PRIMARY KEY (tenant, subscription);
ALTER TABLE ONLY public.tocsin_delivery_changes
    ADD CONSTRAINT tocsin_delivery_changes_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.tocsin_delivery_followed
    ADD CONSTRAINT tocsin_delivery_followed_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.tocsin_events
    ADD CONSTRAINT tocsin_events_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.tocsin_generations
    ADD CONSTRAINT tocsin_generations_pkey PRIMARY KEY (runner, step);
ALTER TABLE ONLY public.tocsin_heads
    ADD CONSTRAINT tocsin_heads_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tocsin_intake
    ADD CONSTRAINT tocsin_intake_pkey PRIMARY KEY (name, part);
ALTER TABLE ONLY public.tocsin_keys
    ADD CONSTRAINT tocsin_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tocsin_keys
    ADD CONSTRAINT tocsin_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tocsin_log
    ADD CONSTRAINT tocsin_log_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.tocsin_matches
    ADD CONSTRAINT tocsin_matches_id_key UNIQUE (id);
ALTER TABLE ONLY public.tocsin_matches
    ADD CONSTRAINT tocsin_matches_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.tocsin_paused
    ADD CONSTRAINT tocsin_paused_pkey PRIMARY KEY (subscription);
ALTER TABLE ONLY public.tocsin_plan
    ADD CONSTRAINT tocsin_plan_pkey PRIMARY KEY (name, version);
ALTER TABLE ONLY public.tocsin_relays
    ADD CONSTRAINT tocsin_relays_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tocsin_runners
    ADD CONSTRAINT tocsin_runners_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tocsin_sequences
    ADD CONSTRAINT tocsin_sequences_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tocsin_snapshots
    ADD CONSTRAINT tocsin_snapshots_pkey PRIMARY KEY (runner);
ALTER TABLE ONLY public.tocsin_steps
    ADD CONSTRAINT tocsin_steps_pkey PRIMARY KEY (runner, number);
ALTER TABLE ONLY public.tocsin_troubles
    ADD CONSTRAINT tocsin_troubles_pkey PRIMARY KEY (subscription);
ALTER TABLE ONLY public.tocsin_version
    ADD CONSTRAINT tocsin_version_pkey PRIMARY KEY (one);
CREATE INDEX epcis_events_by_event_time ON public.epcis_events USING btree (event_time, number);
CREATE INDEX epcis_events_by_record_time ON public.epcis_events USING btree (record_time, number);
CREATE UNIQUE INDEX epcis_events_identity ON public.epcis_events USING btree (source, id);
CREATE INDEX epcis_subscriptions_of_query ON public.epcis_subscriptions USING btree (tenant, query);
CREATE INDEX ix_epcis_capture_jobs_tenant ON public.epcis_capture_jobs USING btree (tenant);
CREATE INDEX ix_epcis_events_position ON public.epcis_events USING btree ("position");
CREATE INDEX ix_epcis_terms_number ON public.epcis_terms USING btree (number);
CREATE INDEX ix_tocsin_dead_letters_stored ON public.tocsin_dead_letters USING btree (stored);
CREATE INDEX ix_tocsin_deliveries_changed ON public.tocsin_deliveries USING btree (changed);
CREATE INDEX ix_tocsin_events_received ON public.tocsin_events USING btree (received);
CREATE INDEX ix_tocsin_log_name ON public.tocsin_log USING btree (name);
CREATE INDEX ix_tocsin_log_version ON public.tocsin_log USING btree (version);
CREATE INDEX ix_tocsin_matches_stored ON public.tocsin_matches USING btree (stored);
CREATE INDEX tocsin_dead_letters_whose ON public.tocsin_dead_letters USING btree (tenant, "position");
CREATE INDEX tocsin_matches_whose ON public.tocsin_matches USING btree (tenant, subscription, "position");

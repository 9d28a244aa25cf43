BEGIN TRANSACTION;
CREATE TABLE tocsin_change (
	version INTEGER NOT NULL, 
	position BIGINT NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "tocsin_change" VALUES(1,0);
INSERT INTO "tocsin_change" VALUES(2,0);
INSERT INTO "tocsin_change" VALUES(3,0);
INSERT INTO "tocsin_change" VALUES(4,0);
INSERT INTO "tocsin_change" VALUES(5,0);
INSERT INTO "tocsin_change" VALUES(6,0);
INSERT INTO "tocsin_change" VALUES(7,0);
INSERT INTO "tocsin_change" VALUES(8,0);
INSERT INTO "tocsin_change" VALUES(9,0);
CREATE TABLE tocsin_log (
	number INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	body TEXT, 
	PRIMARY KEY (number)
);
INSERT INTO "tocsin_log" VALUES(1,1,'define dock','{"define": "dock", "region": "POLYGON((0 0,10 0,10 10,0 10,0 0))"}');
INSERT INTO "tocsin_log" VALUES(2,2,'subscription cheap','{"id": "cheap", "language": "selector", "expression": "price < 100"}');
INSERT INTO "tocsin_log" VALUES(3,3,'subscription pair','{"id": "pair", "language": "opsl", "expression": "=|(ARITH: price = 1; 1h)(ARITH: price = 2)", "policy": "unrestricted"}');
INSERT INTO "tocsin_log" VALUES(4,4,'subscription sent','{"id": "sent", "language": "selector", "expression": "price = 7", "deliver": {"webhook": "http://127.0.0.1:9/none"}}');
INSERT INTO "tocsin_log" VALUES(5,5,'subscription gone','{"id": "gone", "language": "selector", "expression": "price = 8"}');
INSERT INTO "tocsin_log" VALUES(6,6,'subscription resting','{"id": "resting", "language": "selector", "expression": "price = 9"}');
INSERT INTO "tocsin_log" VALUES(7,7,'paused resting','{"id": "resting", "language": "selector", "expression": "price = 9"}');
INSERT INTO "tocsin_log" VALUES(8,7,'subscription resting',NULL);
INSERT INTO "tocsin_log" VALUES(9,8,'subscription gone',NULL);
INSERT INTO "tocsin_log" VALUES(10,9,'subscription cheap','{"id": "cheap", "language": "selector", "expression": "price < 50"}');
CREATE TABLE tocsin_plan (
	name TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	origin TEXT NOT NULL, 
	wire TEXT NOT NULL, 
	PRIMARY KEY (name, version)
);
INSERT INTO "tocsin_plan" VALUES('subscription cheap',2,'0.1.0 3 14e6c770767aecff8bf024c8620d3cda ','[100]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Ordered","path":["price"],"relation":"<","limit":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO "tocsin_plan" VALUES('subscription pair',3,'0.1.0 3 1dd97972af9f732d114f9f19b08b864e dbda9522757def2b98c1da1c0df23802','[1,2]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Join","parts":[{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":1}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}}],"conditions":[{"node":"Precedes","earlier":{"node":"Moment","part":0,"end":{"node":"End","name":"FINISH"}},"later":{"node":"Moment","part":1,"end":{"node":"End","name":"START"}},"gap":0,"or_equal":false},{"node":"Precedes","earlier":{"node":"Moment","part":1,"end":{"node":"End","name":"FINISH"}},"later":{"node":"Moment","part":0,"end":{"node":"End","name":"FINISH"}},"gap":-3600000000,"or_equal":true}],"policy":{"node":"Policy","name":"UNRESTRICTED"},"keep":null},"output":{"node":"Forward"}}}');
INSERT INTO "tocsin_plan" VALUES('subscription sent',4,'0.1.0 3 b8d8e3b3c55896601cd8fd9a8fd4c941 ','[7]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO "tocsin_plan" VALUES('subscription gone',5,'0.1.0 3 0ee78e9c8adc159d522bb812fb16ecd0 ','[8]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO "tocsin_plan" VALUES('subscription resting',6,'0.1.0 3 0855b04bb4604cb3cdb09cd3f9b719f2 ','[9]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Equals","path":["price"],"value":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
INSERT INTO "tocsin_plan" VALUES('subscription cheap',9,'0.1.0 3 e83b21826f0c715bd341a746c217df25 ','[50]
{"tocsin-plan":1,"plan":{"node":"Plan","pattern":{"node":"Condition","expression":{"node":"Ordered","path":["price"],"relation":"<","limit":{"node":"Constant","kind":{"node":"Kind","name":"NUMBER"},"value":{"hole":0}},"mismatch":{"node":"Truth","name":"UNKNOWN"}}},"output":{"node":"Forward"}}}');
CREATE TABLE tocsin_version (
	one INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (one)
);
INSERT INTO "tocsin_version" VALUES(1,9);
CREATE INDEX ix_tocsin_log_name ON tocsin_log (name);
CREATE INDEX ix_tocsin_log_version ON tocsin_log (version);
COMMIT;

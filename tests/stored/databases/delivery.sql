BEGIN TRANSACTION;
CREATE TABLE tocsin_deliveries (
	tenant TEXT NOT NULL, 
	subscription TEXT NOT NULL, 
	deliver TEXT NOT NULL, 
	changed INTEGER NOT NULL, 
	paused BOOLEAN NOT NULL, 
	position INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	not_before INTEGER NOT NULL, 
	reason TEXT, 
	ended TEXT, 
	delivered INTEGER NOT NULL, 
	buried INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	rotated INTEGER NOT NULL, 
	moved INTEGER NOT NULL, 
	since INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (tenant, subscription)
);
INSERT INTO "tocsin_deliveries" VALUES('','sent','{"webhook": "http://127.0.0.1:9/none"}',1,0,0,2,1795059772853588,'All connection attempts failed',NULL,0,0,1,0,1,4);
CREATE TABLE tocsin_delivery_changes (
	one INTEGER NOT NULL, 
	changed INTEGER NOT NULL, 
	PRIMARY KEY (one)
);
INSERT INTO "tocsin_delivery_changes" VALUES(1,1);
CREATE TABLE tocsin_delivery_followed (
	one INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (one)
);
INSERT INTO "tocsin_delivery_followed" VALUES(1,9);
CREATE TABLE tocsin_writes (one INTEGER PRIMARY KEY, store TEXT NOT NULL, writes INTEGER NOT NULL);
INSERT INTO "tocsin_writes" VALUES(1,'420a7b48f4b64004ae355bc6c9db58c8',6);
CREATE INDEX ix_tocsin_deliveries_changed ON tocsin_deliveries (changed);
COMMIT;

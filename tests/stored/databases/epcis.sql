BEGIN TRANSACTION;
CREATE TABLE epcis_capture_jobs (
	number INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id)
);
INSERT INTO "epcis_capture_jobs" VALUES(1,'2286a491-5147-4b97-befd-94ff44119fa6','','{"captureID": "2286a491-5147-4b97-befd-94ff44119fa6", "createdAt": "2026-11-19T03:42:51.665855Z", "finishedAt": "2026-11-19T03:42:51.671961Z", "running": false, "success": true, "captureErrorBehaviour": "rollback", "errors": []}');
CREATE TABLE epcis_events (
	number BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	source TEXT NOT NULL, 
	id TEXT NOT NULL, 
	event_time BIGINT NOT NULL, 
	record_time BIGINT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "epcis_events" VALUES(1,6,'urn:epcglobal:epcis','urn:uuid:1',1769842860000000,1795059771665855,'{"id":"urn:uuid:1","source":"urn:epcglobal:epcis","type":"ObjectEvent","readpoint":"https://id.gs1.org/414/0614141000012","time":"2026-01-31T07:01:00Z","datacontenttype":"application/json","data":{"action":"OBSERVE","bizStep":"shipping","disposition":"in_transit","epcList":["urn:epc:id:sgtin:0614141.107346.1"],"eventID":"urn:uuid:1","eventTime":"2026-01-31T07:01:00Z","eventTimeZoneOffset":"+01:00","https://acme.example/rank":1,"readPoint":{"id":"urn:epc:id:sgln:0614141.00001.0"},"type":"ObjectEvent","recordTime":"2026-11-19T03:42:51.665855Z"}}');
INSERT INTO "epcis_events" VALUES(2,7,'urn:epcglobal:epcis','urn:uuid:2',1769842920000000,1795059771665855,'{"id":"urn:uuid:2","source":"urn:epcglobal:epcis","type":"ObjectEvent","readpoint":"https://id.gs1.org/414/0614141000012","time":"2026-01-31T07:02:00Z","datacontenttype":"application/json","data":{"action":"OBSERVE","bizStep":"shipping","disposition":"in_transit","epcList":["urn:epc:id:sgtin:0614141.107346.2"],"eventID":"urn:uuid:2","eventTime":"2026-01-31T07:02:00Z","eventTimeZoneOffset":"+01:00","https://acme.example/rank":2,"readPoint":{"id":"urn:epc:id:sgln:0614141.00001.0"},"type":"ObjectEvent","recordTime":"2026-11-19T03:42:51.665855Z"}}');
CREATE TABLE epcis_progress (
	one INTEGER NOT NULL, 
	position BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	PRIMARY KEY (one)
);
INSERT INTO "epcis_progress" VALUES(1,7,2);
CREATE TABLE epcis_queries (
	tenant TEXT NOT NULL, 
	name TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (tenant, name)
);
INSERT INTO "epcis_queries" VALUES('','shipped','{"EQ_bizStep": ["shipping"]}');
CREATE TABLE epcis_schema (
	one INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (one)
);
INSERT INTO "epcis_schema" VALUES(1,1);
CREATE TABLE epcis_subscriptions (
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	"query" TEXT NOT NULL, 
	body TEXT NOT NULL, 
	cursor BIGINT NOT NULL, 
	due BIGINT, 
	notified BIGINT, 
	PRIMARY KEY (id)
);
CREATE TABLE epcis_terms (
	field TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	written TEXT NOT NULL, 
	PRIMARY KEY (field, value, number)
);
INSERT INTO "epcis_terms" VALUES('eventType','ObjectEvent',1,'ObjectEvent');
INSERT INTO "epcis_terms" VALUES('action','OBSERVE',1,'OBSERVE');
INSERT INTO "epcis_terms" VALUES('bizStep','shipping',1,'shipping');
INSERT INTO "epcis_terms" VALUES('disposition','in_transit',1,'in_transit');
INSERT INTO "epcis_terms" VALUES('readPoint','https://id.gs1.org/414/0614141000012',1,'urn:epc:id:sgln:0614141.00001.0');
INSERT INTO "epcis_terms" VALUES('eventID','urn:uuid:1',1,'urn:uuid:1');
INSERT INTO "epcis_terms" VALUES('epc','https://id.gs1.org/01/10614141073464/21/1',1,'urn:epc:id:sgtin:0614141.107346.1');
INSERT INTO "epcis_terms" VALUES('eventType','ObjectEvent',2,'ObjectEvent');
INSERT INTO "epcis_terms" VALUES('action','OBSERVE',2,'OBSERVE');
INSERT INTO "epcis_terms" VALUES('bizStep','shipping',2,'shipping');
INSERT INTO "epcis_terms" VALUES('disposition','in_transit',2,'in_transit');
INSERT INTO "epcis_terms" VALUES('readPoint','https://id.gs1.org/414/0614141000012',2,'urn:epc:id:sgln:0614141.00001.0');
INSERT INTO "epcis_terms" VALUES('eventID','urn:uuid:2',2,'urn:uuid:2');
INSERT INTO "epcis_terms" VALUES('epc','https://id.gs1.org/01/10614141073464/21/2',2,'urn:epc:id:sgtin:0614141.107346.2');
CREATE TABLE tocsin_writes (one INTEGER PRIMARY KEY, store TEXT NOT NULL, writes INTEGER NOT NULL);
INSERT INTO "tocsin_writes" VALUES(1,'7161fb0c82434dfdb857e1e853489cb4',7);
CREATE UNIQUE INDEX epcis_events_identity ON epcis_events (source, id);
CREATE INDEX ix_epcis_events_position ON epcis_events (position);
CREATE INDEX epcis_events_by_record_time ON epcis_events (record_time, number);
CREATE INDEX epcis_events_by_event_time ON epcis_events (event_time, number);
CREATE INDEX ix_epcis_terms_number ON epcis_terms (number);
CREATE INDEX ix_epcis_capture_jobs_tenant ON epcis_capture_jobs (tenant);
CREATE INDEX epcis_subscriptions_of_query ON epcis_subscriptions (tenant, "query");
COMMIT;

/** Texts to begin with, by language. */

export interface Example {
  title: string;
  expression: string;
}

export const EXAMPLES: Record<string, Example[]> = {
  rule: [
    { title: 'Something comes into a region', expression: 'WHEN position ENTERS Depot\nFOR EACH truck\nHORIZON 1d' },
    {
      title: 'Something does not follow in time',
      expression: "WHEN move(kind = 'left')\nTHEN NO move(kind = 'arrived') WITHIN 2h\nFOR EACH parcel",
    },
    { title: 'Too often in a while', expression: 'WHEN COUNT(login(ok = FALSE)) >= 3 OVER 5m\nFOR EACH user' },
    { title: 'An average passes a bound', expression: 'WHEN AVG(reading.temperature) > 8 OVER 10m\nFOR EACH sensor' },
    { title: 'It stays somewhere too long', expression: 'WHEN position HOLDS INSIDE Depot FOR 30m\nFOR EACH truck' },
  ],
  selector: [
    { title: 'A bound', expression: 'price < 400' },
    { title: 'Several conditions', expression: "price BETWEEN 100 AND 400 AND kind IN ('laptop', 'tablet')" },
    { title: 'A pattern in a text', expression: "customer.name LIKE 'A%' AND note IS NOT NULL" },
  ],
  opsl: [
    { title: 'First here, then far away', expression: '=|(@(Depot)Truck; 10m)DIST(Depot; >; 50)Truck' },
    { title: 'One after the other', expression: '=|(STRING: kind = "left"; 1h)STRING: kind = "arrived"' },
  ],
  graph: [
    { title: 'An event of a class', expression: 'PREFIX shop: <http://shop.example/>\nASK { _:H a shop:Computer . }' },
    {
      title: 'With a value below a bound',
      expression:
        'PREFIX shop: <http://shop.example/>\nASK {\n  _:H a shop:Computer ;\n      shop:price ?p .\n  FILTER (?p < 400)\n}',
    },
  ],
  concept: [
    { title: 'A step of the business', expression: 'TransactionEvent and exists bizStep.{shipping}' },
    { title: 'One before the other', expression: '(exists bizStep.{unpacking}) Before (exists bizStep.{shipping})' },
  ],
  exmlql: [
    { title: 'A document with an element', expression: 'WHERE <order><id>$i</></>' },
    {
      title: 'Two documents that belong together',
      expression:
        'WHERE <order><id>$i</></> #O\n      <payment><order>$i</></> #P\n      #O ; #P WITHIN 1h\nCONSTRUCT <paid><id>$i</></>',
    },
  ],
};

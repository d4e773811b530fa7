tinyxfWork("bill",{
"pages":[
["bill.html","The bill"],
["in/sum.html","The \u201csum\u201d"]
],
"tables":{"bill.rows":0,"bill.sum":1},
"titles":[
"What is bought, amount",
"What is bought, price",
"What is bought, cost",
"What is bought, share",
"What is bought, percent",
"What it costs, total",
"a year without a source"
],
"numbers":[
["bill.rows/apples/amount","amount[apples]","3"],
["bill.rows/apples/price","price[apples]","0.123"],
["bill.rows/apples/cost","cost[apples]","0.37"],
["bill.rows/apples/share","share[apples]","0.064"],
["bill.rows/apples/percent","percent[apples]","6%"],
["bill.rows/pears@1/amount","amount[pears@1]","1"],
["bill.rows/pears@1/price","price[pears@1]","2.500"],
["bill.rows/pears@1/cost","cost[pears@1]","2.50"],
["bill.rows/pears@1/share","share[pears@1]","0.432"],
["bill.rows/pears@1/percent","percent[pears@1]","43%"],
["bill.rows/pears@2/amount","amount[pears@2]","2"],
["bill.rows/pears@2/price","price[pears@2]","1.456"],
["bill.rows/pears@2/cost","cost[pears@2]","2.91"],
["bill.rows/pears@2/share","share[pears@2]","0.504"],
["bill.rows/pears@2/percent","percent[pears@2]","50%"],
["bill.sum/total","total","5.78"],
["bill.year","year","2024"]
],
"works":[
[0,"Step 1","Given: nothing in the run computes it.","",[],[2]],
[1,"Step 1","Given: nothing in the run computes it.","",[],[2]],
[2,"Step 1 \u00b7 product","In full 0.369. Exactly 369/1000.","amount[apples] \u00d7 price[apples]",[0," \u00d7 ",1],[3,15]],
[3,"Step 1 \u00b7 quotient","In full 0.06382978723. Exactly 3/47.","cost[apples] / total",[2," / ",15],[4],[4]],
[4,"Step 1","In full 0.06382978723. Exactly 3/47. The same number once more.","",[3],[],[3]],
[0,"Step 1","Given: nothing in the run computes it.","",[],[7]],
[1,"Step 1","Given: nothing in the run computes it.","",[],[7]],
[2,"Step 1 \u00b7 product","In full 2.5. Exactly 5/2.","amount[pears@1] \u00d7 price[pears@1]",[5," \u00d7 ",6],[8,15]],
[3,"Step 1 \u00b7 quotient","In full 0.432451133. A pencil gets 0.433 from the printed numbers, 1 off in the last digit.","cost[pears@1] / total",[7," / ",15],[9],[9]],
[4,"Step 1","In full 0.432451133. The same number once more.","",[8],[],[8]],
[0,"Step 1","Given: nothing in the run computes it.","",[],[12]],
[1,"Step 1","Given: nothing in the run computes it.","",[],[12]],
[2,"Step 1 \u00b7 product","In full 2.912. Exactly 364/125.","amount[pears@2] \u00d7 price[pears@2]",[10," \u00d7 ",11],[13,15]],
[3,"Step 1 \u00b7 quotient","In full 0.5037190797. A pencil gets 0.503 from the printed numbers, 1 off in the last digit.","cost[pears@2] / total",[12," / ",15],[14],[14]],
[4,"Step 1","In full 0.5037190797. The same number once more.","",[13],[],[13]],
[5,"Step 2 \u00b7 sum","In full 5.781. Exactly 5781/1000.","sum(cost[:])",[2," + ",7," + ",12],[3,8,13]],
[6,"","Given: nothing in the run computes it."]
]
});

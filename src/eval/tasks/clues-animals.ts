// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const animals = `
octopus
It has three hearts, and one of them stops while it swims.
Most of its nerve cells lie outside its brain.
Its blood is blue because it carries oxygen with copper.
It squirts ink at enemies and squeezes through tiny holes.
This sea animal has eight arms with suckers.

giraffe
Like nearly all mammals it has seven vertebrae in one particular place.
Its closest living relative is a forest animal of the Congo.
Its tongue is dark and nearly half a meter long.
It must spread its front legs to drink.
It is the tallest animal on land, with a very long neck.

honeybee | bee
It tells others of a place by walking a figure of eight.
Its hind legs carry small baskets.
A worker of this kind dies after using its weapon on a mammal.
It lives in a colony with one queen.
It makes wax combs and fills them with something sweet.

penguin
Some of these birds carry their only egg on their feet.
Its bones are not hollow as in most birds.
One kind breeds as far north as the Galápagos Islands.
It flies under water but not in the air.
This black and white bird waddles over the ice of Antarctica.

camel
Its red blood cells are oval.
It came from North America, where it has died out.
It can close its nostrils.
It stores fat on its back.
This animal with one or two humps carries people through the desert.

elephant
It carries its young for about 22 months.
It hears low sounds that people cannot, over kilometers.
It has only four chewing teeth in use at a time, and grows six sets.
People hunt it for its ivory.
It is the largest animal on land and has a trunk.

bat
It belongs to the second largest order of mammals.
It hangs by tendons that lock without effort.
Some kinds pollinate the agave.
Many of its kinds find their way by the echo of their calls.
It is the only mammal that truly flies.

owl
Its ears may sit at different heights on its head.
It cannot move its eyes in their sockets.
It coughs up pellets of bones and fur.
In ancient Athens it stood for wisdom.
This night bird turns its head far around and hoots.

chameleon
Its tongue can be longer than its body.
About half of its kinds live on Madagascar.
Its toes are joined into two bundles like tongs.
Its two eyes look in different directions.
This lizard is famous for changing its color.

salmon
It finds its way home by smell.
Its flesh gets its hue from what it eats.
Bears wait for it at waterfalls.
It swims up rivers to spawn where it hatched.
This pink fish is often eaten smoked.

ostrich
It has only two toes on each foot.
Its eye is larger than its brain.
It runs at up to about 70 kilometers an hour.
People say, wrongly, that it buries its head in the sand.
It is the largest living bird and cannot fly.

kangaroo
It can hold an embryo back until an older young is weaned.
It uses its tail as a fifth leg when it walks slowly.
It stands beside the emu on a coat of arms.
Its newborn is the size of a bean and climbs into a pouch.
This animal hops through Australia.

spider
It digests its prey outside of its body.
It moves its legs outward by the pressure of its blood.
In a Greek myth a weaver was turned into one.
It has eight legs and no antennae.
It spins a web to catch flies.

blue whale
It feeds mostly on krill.
It belongs to the mammals that have baleen instead of teeth.
Its calf gains some 90 kilograms a day.
Its heart weighs well over 100 kilograms.
It is the largest animal that has ever lived, as far as we know.

beaver
Its teeth are orange because they contain iron.
Its scent gland was once used in medicine and perfume.
It is the largest rodent of North America.
It slaps the water with a flat tail.
It fells trees and builds dams.

hummingbird
It falls into a cold torpor on many nights.
It lives only in the Americas.
Its heart may beat over a thousand times a minute.
It can fly backward.
This tiny bird hovers in front of flowers to drink nectar.

crocodile
Its nearest living relatives apart from its own order are birds.
The temperature of the nest decides the sex of its young.
A bird was said to clean its teeth.
It drags its prey under water and rolls.
This large reptile of the Nile lies in wait with only its eyes above water.

polar bear | white bear, ice bear
Its skin is black.
It is at home where there are no penguins.
Its hairs are transparent.
It hunts seals at holes in the ice.
This large white hunter roams the Arctic.

hedgehog
It is resistant to the venom of some snakes.
It spreads foaming saliva on its own back.
Its young are born with their weapons under the skin.
It sleeps through the winter and eats slugs in gardens.
It rolls up into a ball of spines.

cuckoo
Its young pushes others out soon after hatching.
It can eat hairy caterpillars that others avoid.
Its eggs often look like those of another kind.
It lays its eggs into the nests of other birds.
Its name is its call, and it comes out of a wooden clock.

seahorse
It has no stomach and must eat nearly all the time.
It swims upright, driven by a small fin on its back.
It holds on to sea grass with its tail.
The male carries the eggs and gives birth.
This fish has a head like that of an animal one can ride.

sloth
Algae grow in its fur.
It comes down from its tree about once a week.
Its relatives of the ice age were as large as elephants.
It hangs upside down by long claws in the rain forest.
This animal is famous for being slow, and a deadly sin shares its name.

ant
Some of its kinds farm fungi, others milk insects.
There are thought to be some twenty quadrillion of them.
It lays scent trails for others to follow.
A fable sets it against a cricket or a grasshopper.
This small insect lives in a hill and can lift many times its own weight.

cheetah
Its claws cannot be drawn in fully.
All of its kind are genetically very much alike.
It cannot roar but purrs.
Black lines run from its eyes to its mouth.
This spotted cat is the fastest animal on land.
`;
